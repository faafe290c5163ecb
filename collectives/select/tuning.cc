#include "collectives/select/tuning.h"

#include <algorithm>
#include <cmath>

namespace rondo::select {
namespace {

using Point = MeasuredTimes::Point;

double ratio_of(const Point& point) { return point.us / point.simulated_us; }
double log_of(std::size_t bytes) {
  return std::log(static_cast<double>(std::max<std::size_t>(bytes, 1)));
}

double between(const Point& low, const Point& high, std::size_t bytes) {
  const double part =
      (log_of(bytes) - log_of(low.bytes)) / (log_of(high.bytes) - log_of(low.bytes));
  return std::exp(std::log(ratio_of(low)) * (1 - part) + std::log(ratio_of(high)) * part);
}

}  // namespace

bool Tuning::is_known(schedule::Collective collective, std::string_view algorithm,
                      std::size_t bytes, MemoryKind memory) const {
  const MeasuredTimes* const times = find(collective, algorithm, memory);
  return times != nullptr && std::ranges::any_of(times->points, [&](const Point& point) {
           return point.bytes >= bytes / 2 && point.bytes / 2 <= bytes;
         });
}

const MeasuredTimes* Tuning::find(schedule::Collective collective, std::string_view algorithm,
                                  MemoryKind memory) const {
  const auto found = std::ranges::find_if(measured, [&](const MeasuredTimes& times) {
    return times.collective == collective && times.algorithm == algorithm &&
           times.memory == memory && !times.points.empty();
  });
  return found == measured.end() ? nullptr : &*found;
}

double Tuning::correction(schedule::Collective collective, std::string_view algorithm,
                          std::size_t bytes, MemoryKind memory) const {
  const bool is_registered = memory == MemoryKind::kRegistered &&
                             is_known(collective, algorithm, bytes, MemoryKind::kRegistered);
  const MeasuredTimes* const found =
      find(collective, algorithm, is_registered ? MemoryKind::kRegistered : MemoryKind::kOrdinary);
  if (found == nullptr) return 1;
  const std::vector<Point>& points = found->points;
  const auto high = std::ranges::lower_bound(points, bytes, {}, &Point::bytes);
  if (high == points.begin()) return ratio_of(points.front());
  if (high == points.end()) return ratio_of(points.back());
  if (high->bytes == bytes) return ratio_of(*high);
  return between(*(high - 1), *high, bytes);
}

}  // namespace rondo::select
