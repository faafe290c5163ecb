#include "collectives/verify/built_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <set>
#include <string>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/fuse.h"
#include "collectives/verify/layout_family.h"
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

std::string text_of_hosts(const Request& request) {
  if (!request.layout) return {};
  std::string text = ", hosts";
  for (Rank rank = 0; rank < request.world; ++rank) {
    text += fmt::format(" {}", request.layout->host_of(rank));
  }
  return text;
}

Status verify_one(const std::vector<FusedSchedule>& world, const char* form, Order order,
                  AlgorithmCount& count) {
  Result<Report> report = verify_at_once(world, order);
  const Request& request = world[0].request;
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

/// For all ranks what `request` is for one.
std::vector<RankSchedule> build_world(const Algorithm& algorithm, Request request) {
  std::vector<RankSchedule> schedules;
  for (request.rank = 0; request.rank < request.world; ++request.rank) {
    schedules.push_back(algorithm.build(request));
  }
  return schedules;
}

Status verify_request(const Algorithm& algorithm, const Request& request, bool thorough,
                      AlgorithmCount& count) {
  const std::vector<RankSchedule> schedules = build_world(algorithm, request);
  if (thorough) {
    std::vector<FusedSchedule> lowered;
    std::transform(schedules.begin(), schedules.end(), std::back_inserter(lowered),
                   schedule::lower);
    const Order order = algorithm.keeps_rank_order ? Order::kRanks : Order::kAny;
    RONDO_TRY(verify_one(lowered, "plain", order, count));
  }
  const Order order = algorithm.keeps_rank_order ? Order::kRanksInOneSweep : Order::kAny;
  return verify_one(schedule::fuse_world(schedules), "fused", order, count);
}

Status verify_layout(const Algorithm& algorithm, Request request, bool thorough,
                     AlgorithmCount& count) {
  std::set<std::uint32_t> rows{algorithm.rows(request, 1)};
  if (thorough) rows.insert(algorithm.rows(request, kLargeCount));
  const int world = request.world;
  for (const Rank root : thorough ? roots(algorithm, world) : std::set<Rank>{world / 2}) {
    for (const std::uint32_t row_count : rows) {
      request.root = root;
      request.rows = row_count;
      RONDO_TRY(verify_request(algorithm, request, thorough, count));
    }
  }
  return {};
}

Status verify_world(const Algorithm& algorithm, int world, bool thorough, AlgorithmCount& count) {
  Request request{.collective = algorithm.collective, .world = world};
  if (algorithm.uses_layout) {
    for (const schedule::SharedLayout& layout : layout_family(world)) {
      request.layout = layout;
      RONDO_TRY(verify_layout(algorithm, request, thorough, count));
    }
  } else {
    RONDO_TRY(verify_layout(algorithm, request, thorough, count));
  }
  ++count.worlds;
  return {};
}

std::size_t ops_of_world(const Algorithm& algorithm, int world) {
  Request request{.collective = algorithm.collective, .world = world};
  request.rows = algorithm.rows(request, 1);
  std::size_t ops = 0;
  for (const RankSchedule& own : build_world(algorithm, request)) {
    for (const auto& lane : own.lanes) ops += lane.size();
  }
  return ops;
}

/// Whether twice the world has about four times the ops, or rather twice.
bool is_quadratic(const Algorithm& algorithm) {
  return ops_of_world(algorithm, 64) > 3 * ops_of_world(algorithm, 32);
}

Status verify_worlds(const Algorithm& algorithm, int first, int last, Coverage coverage,
                     AlgorithmCount& count) {
  for (int world = first; world <= last; ++world) {
    const bool thorough = coverage == Coverage::kEverything || world <= kThoroughUpTo;
    if (!thorough && count.quadratic && !is_chosen_world(world)) continue;
    RONDO_TRY(verify_world(algorithm, world, thorough, count));
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
  for (const Algorithm& algorithm : algorithms::all()) {
    AlgorithmCount& count = counts.emplace_back();
    count.name = algorithm.name;
    count.collective = algorithm.collective;
    count.quadratic = is_quadratic(algorithm);
    RONDO_TRY(verify_worlds(algorithm, first_world, last_world, coverage, count));
  }
  return counts;
}

}  // namespace rondo::verify
