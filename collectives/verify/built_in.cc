#include "collectives/verify/built_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/fuse.h"
#include "collectives/verify/verify.h"

namespace rondo::verify {
namespace {

using algorithms::Algorithm;
using schedule::FusedSchedule;
using schedule::Rank;
using schedule::RankSchedule;
using schedule::Request;

constexpr int kAllRootsUpTo = 8;
constexpr std::size_t kLargeCount = std::size_t{1} << 24;

std::set<Rank> roots(const Algorithm& algorithm, int world) {
  if (!schedule::has_root(algorithm.collective)) return {0};
  std::set<Rank> chosen{0, world / 2, world - 1};
  for (Rank root = 0; root < std::min(world, kAllRootsUpTo); ++root) chosen.insert(root);
  if (world <= kAllRootsUpTo) return chosen;
  return {0, 1, world / 2, world - 1};
}

std::uint64_t count_direct(const std::vector<FusedSchedule>& world) {
  std::uint64_t count = 0;
  for (const FusedSchedule& own : world) {
    count += static_cast<std::uint64_t>(
        std::count_if(own.ports.begin(), own.ports.end(),
                      [](const schedule::Port& port) { return port.direct; }));
  }
  return count;
}

Status verify_one(const std::vector<FusedSchedule>& world, const char* form, Order order,
                  AlgorithmCount& count) {
  Result<Report> report = verify(world, order);
  const Request& request = world[0].request;
  if (!report.ok()) {
    const Status& status = report.status();
    return Status(
        status.code(),
        fmt::format("{} {} ({}), world {}, root {}, {} rows: {}", to_string(count.collective),
                    count.name, form, request.world, request.root, request.rows, status.message()),
        status.culprit(), status.where());
  }
  ++count.schedules;
  count.sweeps += report->sweeps;
  count.direct_stores += count_direct(world);
  count.least_credits = std::max(count.least_credits, report->least_credits);
  return {};
}

Status verify_world(const Algorithm& algorithm, int world, AlgorithmCount& count) {
  const std::set<std::uint32_t> rows{algorithm.rows(world, 1), algorithm.rows(world, kLargeCount)};
  for (const Rank root : roots(algorithm, world)) {
    for (const std::uint32_t row_count : rows) {
      std::vector<RankSchedule> schedules;
      std::vector<FusedSchedule> lowered;
      for (Rank rank = 0; rank < world; ++rank) {
        schedules.push_back(algorithm.build({algorithm.collective, world, rank, root, row_count}));
        lowered.push_back(schedule::lower(schedules.back()));
      }
      const bool ordered = algorithm.keeps_rank_order;
      RONDO_TRY(verify_one(lowered, "plain", ordered ? Order::kRanks : Order::kAny, count));
      RONDO_TRY(verify_one(schedule::fuse_world(schedules), "fused",
                           ordered ? Order::kRanksInOneSweep : Order::kAny, count));
    }
  }
  ++count.worlds;
  return {};
}

}  // namespace

Result<std::vector<AlgorithmCount>> verify_built_in(int first_world, int last_world) {
  if (first_world < 1 || last_world < first_world) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("worlds {}..{}: give a range that starts at 1 or more", first_world,
                              last_world));
  }
  std::vector<AlgorithmCount> counts;
  for (const Algorithm& algorithm : algorithms::all()) {
    AlgorithmCount& count = counts.emplace_back();
    count.name = algorithm.name;
    count.collective = algorithm.collective;
    for (int world = first_world; world <= last_world; ++world) {
      RONDO_TRY(verify_world(algorithm, world, count));
    }
  }
  return counts;
}

}  // namespace rondo::verify
