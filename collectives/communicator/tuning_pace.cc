#include "collectives/communicator/tuning_pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "collectives/communicator/timed_calls.h"
#include "core/amounts.h"
#include "core/log.h"

namespace rondo::communicator {
namespace {

using schedule::Collective;
using select::Pace;

/// The longest first: ranks that have just begun to run are slower, and short calls would show it.
/// No tuning has the first: what lies beyond all caches takes as long wherever the cores are.
constexpr std::size_t kSizes[] = {std::size_t{64} << 20, 8 << 20, 512 << 10, 32 << 10, 2 << 10, 64};
/// As long as a tuning's longest.
constexpr double kMostUs = 15'000;
constexpr double kMostOfSeveralUs = 4'000;
constexpr double kMostOfManyUs = 500;

/// Of two looks at each size the faster one counts: what else runs makes calls longer, and most of
/// it is over after a moment.
constexpr int kLooks = 2;

/// The memory of a machine that others share has waves of a dozen calls of 8 MiB.
int rounds_for(double us) { return us > kMostOfSeveralUs ? 2 : us > kMostOfManyUs ? 6 : 12; }

struct Timed {
  std::size_t bytes = 0;
  /// That is nearly as fast as the fastest; nothing where none was timed, or takes too long.
  std::optional<select::Tuning::Typical> tuned;
  double us = std::numeric_limits<double>::infinity();
};

Timed typical_of(const select::Tuning& tuning, std::size_t bytes) {
  Timed timed{.bytes = bytes, .tuned = tuning.typical(Collective::kAllReduce, bytes)};
  if (timed.tuned.has_value() && timed.tuned->us > kMostUs) timed.tuned.reset();
  return timed;
}

Status look_at(TimedCalls& calls, Timed& timed) {
  if (!timed.tuned.has_value()) return {};
  const std::vector one = {algorithms::find(Collective::kAllReduce, timed.tuned->algorithm)};
  RONDO_ASSIGN(const auto times, calls.run(timed.bytes, one, rounds_for(timed.tuned->us)));
  timed.us = std::min(timed.us, median(times.front()));
  return {};
}

/// `list`: the longest first.
Pace pace_of(const std::vector<Timed>& list) {
  Pace pace;
  bool knows_longer = false;
  for (const Timed& timed : list) {
    knows_longer |= timed.tuned.has_value();
    if (!knows_longer) pace.points.push_back({timed.bytes, 1});
    if (timed.tuned.has_value()) pace.points.push_back({timed.bytes, timed.us / timed.tuned->us});
  }
  std::ranges::reverse(pace.points);
  return pace;
}

std::string text_of(const Pace& pace) {
  std::vector<std::string> points;
  for (const Pace::Point& point : pace.points)
    points.push_back(fmt::format("{:.2f} ({})", point.ratio, bytes_text(point.bytes)));
  return fmt::format("{}", fmt::join(points, ", "));
}

}  // namespace

Result<Pace> measure_pace(Engine& engine) {
  if (!engine.place().planner().is_measured_here()) return Pace();
  TimedCalls calls(engine);
  std::vector<Timed> list;
  for (const std::size_t size : kSizes)
    list.push_back(typical_of(*engine.place().planner().tuning(),
                              calls.bytes_of(Collective::kAllReduce, size)));
  for (int look = 0; look < kLooks; ++look) {
    for (Timed& timed : list) RONDO_TRY(look_at(calls, timed));
  }
  const Pace pace = pace_of(list);
  if (engine.place().rank() == 0) {
    log(LogLevel::kInfo, [&] {
      return fmt::format("all_reduces take so many times as long as by the tuning: {}",
                         text_of(pace));
    });
  }
  return pace;
}

}  // namespace rondo::communicator
