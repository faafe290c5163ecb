#include "collectives/verify/built_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/fuse.h"
#include "collectives/verify/coverage.h"
#include "collectives/verify/layout_family.h"
#include "collectives/verify/verify.h"

namespace rondo::verify {
namespace {

using algorithms::Algorithm;
using schedule::FoldedWorld;
using schedule::FusedSchedule;
using schedule::Rank;
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

std::uint64_t count_direct(const FoldedWorld& world) {
  std::uint64_t count = 0;
  for (const FusedSchedule& own : world.bases) {
    count += static_cast<std::uint64_t>(
        std::count_if(own.ports.begin(), own.ports.end(),
                      [](const schedule::Port& port) { return port.direct; }));
  }
  return count * static_cast<std::uint64_t>(world.rotation.order());
}

std::string text_of_hosts(const Request& request) {
  if (!request.layout) return {};
  std::string text = ", hosts";
  for (Rank rank = 0; rank < request.world; ++rank) {
    text += fmt::format(" {}", request.layout->host_of(rank));
  }
  return text;
}

Status verify_one(const FoldedWorld& world, const char* form, Order order, Depth depth,
                  AlgorithmCount& count) {
  const bool values = depth == Depth::kValues;
  Result<Report> report = values ? verify_values(world, order) : verify_at_once(world, order);
  const Request& request = world.bases[0].request;
  if (!report.ok()) {
    const Status& status = report.status();
    return Status(status.code(),
                  fmt::format("{} {} ({}), world {}, root {}, {} rows{}: {}",
                              to_string(count.collective), count.name, form, request.world,
                              request.root, request.rows, text_of_hosts(request), status.message()),
                  status.culprit(), status.where());
  }
  ++count.schedules;
  count.sweeps += report->sweeps;
  count.direct_stores += count_direct(world);
  count.least_credits = std::max(count.least_credits, report->least_credits);
  return {};
}

Status verify_request(const Algorithm& algorithm, const Request& request, Depth depth,
                      AlgorithmCount& count) {
  const auto build = builder_of(algorithm, request);
  if (depth == Depth::kThorough) {
    const Order order = algorithm.keeps_rank_order ? Order::kRanks : Order::kAny;
    RONDO_TRY(verify_one(schedule::lower_folded(build), "plain", order, depth, count));
  }
  const Order order = algorithm.keeps_rank_order ? Order::kRanksInOneSweep : Order::kAny;
  return verify_one(schedule::fuse_folded(build), "fused", order, depth, count);
}

Status verify_layout(const Algorithm& algorithm, Request request, Depth depth,
                     AlgorithmCount& count) {
  const bool thorough = depth == Depth::kThorough;
  std::set<std::uint32_t> rows{algorithm.rows(request, 1)};
  if (thorough) rows.insert(algorithm.rows(request, kLargeCount));
  const int world = request.world;
  for (const Rank root : thorough ? roots(algorithm, world) : std::set<Rank>{world / 2}) {
    for (const std::uint32_t row_count : rows) {
      request.root = root;
      request.rows = row_count;
      RONDO_TRY(algorithms::check_rows(algorithm, request));
      RONDO_TRY(verify_request(algorithm, request, depth, count));
    }
  }
  return {};
}

Status verify_world(const Algorithm& algorithm, int world, Depth depth, AlgorithmCount& count) {
  Request request{.collective = algorithm.collective, .world = world};
  const std::vector<schedule::SharedLayout> layouts = layouts_for(algorithm, world);
  for (const schedule::SharedLayout& layout : layouts) {
    request.layout = layout;
    RONDO_TRY(verify_layout(algorithm, request, depth, count));
  }
  if (layouts.empty()) RONDO_TRY(verify_layout(algorithm, request, depth, count));
  ++count.worlds;
  return {};
}

Status verify_worlds(const Algorithm& algorithm, int first, int last, Coverage coverage,
                     bool quadratic, AlgorithmCount& count) {
  for (int world = first; world <= last; ++world) {
    const std::optional<Depth> depth = depth_of(world, coverage, quadratic);
    if (depth) RONDO_TRY(verify_world(algorithm, world, *depth, count));
  }
  return {};
}

}  // namespace

Result<std::vector<AlgorithmCount>> verify_built_in(int first_world, int last_world,
                                                    Coverage coverage) {
  if (first_world < 1 || last_world < first_world) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("worlds {}..{}: give a range that starts at 1 or more", first_world,
                              last_world));
  }
  std::vector<AlgorithmCount> counts;
  const auto all = algorithms::all();
  for (std::size_t index = 0; index < all.size(); ++index) {
    AlgorithmCount& count = counts.emplace_back();
    count.name = all[index].name;
    count.collective = all[index].collective;
    const bool quadratic = are_quadratic()[index];
    RONDO_TRY(verify_worlds(all[index], first_world, last_world, coverage, quadratic, count));
  }
  return counts;
}

}  // namespace rondo::verify
