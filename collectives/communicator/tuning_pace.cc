#include "collectives/communicator/tuning_pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/communicator/timed_calls.h"
#include "core/amounts.h"
#include "core/log.h"

namespace rondo::communicator {
namespace {

using schedule::Collective;
using select::Pace;

/// No tuning has the last: what lies beyond all caches takes as long wherever the cores are.
constexpr std::size_t kSizes[] = {64, 2 << 10, 32 << 10, 512 << 10, 8 << 20, std::size_t{64} << 20};
/// Of registered memory, which stays the process's.
constexpr std::size_t kMostRegistered = std::size_t{512} << 10;
/// As long as a tuning's longest.
constexpr double kMostUs = 15'000;
constexpr double kMostOfSeveralUs = 4'000;
constexpr double kMostOfManyUs = 500;

/// Of several looks at each size the fastest counts: ranks that have just begun to run are slower,
/// and what else runs makes calls longer, most of which is over after a moment.
constexpr int kLooks = 3;

/// The memory of a machine that others share has waves of a dozen calls of 8 MiB.
int rounds_for(double us) { return us > kMostOfSeveralUs ? 2 : us > kMostOfManyUs ? 4 : 12; }

/// What a look takes, about: each call behind a barrier and before one, and those that don't count.
double look_us(int rounds, double us) { return 3 * us * (rounds + (us > kMostOfManyUs ? 3 : 12)); }
/// Where calls take far longer than by the tuning the rest isn't looked at.
constexpr double kEnoughUs = 500'000;

struct Timed {
  std::size_t bytes = 0;
  /// That is nearly as fast as the fastest.
  std::string_view algorithm;
  double tuned_us = 0;
  std::optional<double> us{};  ///< now

  const algorithms::Algorithm* find() const {
    return algorithms::find(Collective::kAllReduce, algorithm);
  }
};

/// What the tuning has a time of that isn't too long.
std::vector<Timed> list_of(const Engine& engine, const TimedCalls& calls, MemoryKind memory) {
  std::vector<Timed> list;
  for (const std::size_t size : kSizes) {
    if (memory == MemoryKind::kRegistered && size > kMostRegistered) continue;
    const std::size_t bytes = calls.bytes_of(Collective::kAllReduce, size);
    const auto typical =
        engine.place().planner().tuning()->typical(Collective::kAllReduce, bytes, memory);
    if (typical.has_value() && typical->us <= kMostUs)
      list.push_back({.bytes = bytes, .algorithm = typical->algorithm, .tuned_us = typical->us});
  }
  return list;
}

/// `spent_us`, about; the same on all ranks.
Status look_at(TimedCalls& calls, Timed& timed, double& spent_us) {
  const std::vector one = {timed.find()};
  const int rounds = rounds_for(timed.tuned_us);
  RONDO_ASSIGN(const auto times, calls.run(timed.bytes, one, rounds));
  const double us = median(times.front());
  timed.us = std::min(timed.us.value_or(us), us);
  spent_us += look_us(rounds, us);
  return {};
}

/// By ascending sizes; from the longest that was timed to the next of kSizes the ratio goes to 1.
std::vector<Pace::Point> points_of(const TimedCalls& calls, const std::vector<Timed>& list) {
  std::vector<Pace::Point> points;
  for (const Timed& timed : list)
    if (timed.us.has_value()) points.push_back({timed.bytes, *timed.us / timed.tuned_us});
  for (const std::size_t size : kSizes) {
    const std::size_t bytes = calls.bytes_of(Collective::kAllReduce, size);
    if (!points.empty() && bytes > points.back().bytes) points.push_back({bytes, 1});
  }
  return points;
}

/// Nothing where nothing was measured, or a rank has no memory for it.
Result<std::vector<Pace::Point>> measure_on(Engine& engine, MemoryKind memory) {
  TimedCalls calls(engine, memory);
  std::vector<Timed> list = list_of(engine, calls, memory);
  for (const Timed& timed : list) {
    RONDO_ASSIGN(const bool has_room, calls.has_room_for(timed.bytes, *timed.find()));
    if (!has_room) return std::vector<Pace::Point>();
  }
  double spent_us = 0;
  for (int look = 0; look < kLooks; ++look) {
    for (Timed& timed : list)
      if (spent_us < kEnoughUs) RONDO_TRY(look_at(calls, timed, spent_us));
  }
  return points_of(calls, list);
}

/// Beyond what was measured of registered memory both kinds are the memory's affair.
void take_longer_ones(Pace& pace) {
  std::erase_if(pace.registered,
                [](const Pace::Point& point) { return point.bytes > kMostRegistered; });
  std::ranges::copy_if(pace.ordinary, std::back_inserter(pace.registered),
                       [](const Pace::Point& point) { return point.bytes > kMostRegistered; });
}

void tell(const std::vector<Pace::Point>& points, const char* memory) {
  log(LogLevel::kInfo, [&] {
    std::vector<std::string> texts;
    for (const Pace::Point& point : points)
      texts.push_back(fmt::format("{:.2f} ({})", point.ratio, bytes_text(point.bytes)));
    return fmt::format("all_reduces of {} memory take so many times as long as by the tuning: {}",
                       memory, fmt::join(texts, ", "));
  });
}

}  // namespace

Result<Pace> measure_pace(Engine& engine) {
  Pace pace;
  if (!engine.place().planner().is_measured_here()) return pace;
  RONDO_ASSIGN(pace.ordinary, measure_on(engine, MemoryKind::kOrdinary));
  if (pace.ordinary.empty()) return pace;
  RONDO_ASSIGN(pace.registered, measure_on(engine, MemoryKind::kRegistered));
  if (!pace.registered.empty()) take_longer_ones(pace);
  if (engine.place().rank() != 0) return pace;
  tell(pace.ordinary, "ordinary");
  if (!pace.registered.empty()) tell(pace.registered, "registered");
  return pace;
}

}  // namespace rondo::communicator
