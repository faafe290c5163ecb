#include "collectives/select/alike.h"

#include <algorithm>
#include <utility>

#include "collectives/select/schedules.h"

namespace rondo::select {
namespace {

using algorithms::Algorithm;

/// Elements: algorithms cut rows by how many there are.
constexpr std::size_t kCounts[] = {64, std::size_t{8} << 20};
/// All ranks' schedules are held and compared.
constexpr int kMostRanks = 64;

bool same(const schedule::FusedSchedule& a, const schedule::FusedSchedule& b) {
  return a.ports == b.ports && a.lanes == b.lanes && a.scratch_rows == b.scratch_rows;
}

bool same(const schedule::ChunkTable& a, const schedule::ChunkTable& b) {
  if (a.rows() != b.rows()) return false;
  for (std::uint32_t row = 0; row < a.rows(); ++row)
    if (a.count(row) != b.count(row)) return false;
  return true;
}

/// Of all ranks, for each of the counts.
struct World {
  std::vector<std::vector<schedule::FusedSchedule>> schedules;
  std::vector<schedule::ChunkTable> tables;

  bool operator==(const World& other) const {
    if (schedules.empty() || schedules.size() != other.schedules.size()) return false;
    for (std::size_t i = 0; i < schedules.size(); ++i) {
      const bool is_same =
          same(tables[i], other.tables[i]) &&
          std::ranges::equal(schedules[i], other.schedules[i],
                             [](const auto& a, const auto& b) { return same(a, b); });
      if (!is_same) return false;
    }
    return true;
  }
};

World world_of(const Algorithm& algorithm, const schedule::SharedLayout& layout) {
  World made;
  for (const std::size_t count : kCounts) {
    auto schedules = schedules_of(
        algorithm,
        {.collective = algorithm.collective, .world = layout->world(), .root = 0, .layout = layout},
        count);
    if (!schedules.ok()) return {};
    made.schedules.push_back(unfold(schedules->world));
    made.tables.push_back(std::move(schedules->table));
  }
  return made;
}

}  // namespace

std::vector<const Algorithm*> first_alike(std::span<const Algorithm* const> algorithms,
                                          const schedule::SharedLayout& layout) {
  if (layout->world() > kMostRanks) return {algorithms.begin(), algorithms.end()};
  std::vector<World> worlds;
  std::vector<const Algorithm*> first;
  for (const Algorithm* algorithm : algorithms) {
    World own = world_of(*algorithm, layout);
    const auto found = std::ranges::find(worlds, own);
    const auto index = static_cast<std::size_t>(found - worlds.begin());
    first.push_back(found == worlds.end() ? algorithm : algorithms[index]);
    worlds.push_back(std::move(own));
  }
  return first;
}

}  // namespace rondo::select
