#include "collectives/select/tuning.h"

#include <algorithm>

#include "collectives/select/ratio_curve.h"

namespace rondo::select {
namespace {

using Point = MeasuredTimes::Point;

}  // namespace

bool Tuning::is_known(schedule::Collective collective, std::string_view algorithm,
                      std::size_t bytes, MemoryKind memory) const {
  const MeasuredTimes* const times = find(collective, algorithm, memory);
  return times != nullptr && std::ranges::any_of(times->points, [&](const Point& point) {
           return point.bytes >= bytes / 2 && point.bytes / 2 <= bytes;
         });
}

std::optional<Tuning::Typical> Tuning::typical(schedule::Collective collective, std::size_t bytes,
                                               MemoryKind memory) const {
  constexpr double kClose = 1.5;
  std::vector<Typical> list;
  for (const MeasuredTimes& times : measured) {
    if (times.collective != collective || times.memory != memory) continue;
    const auto point = std::ranges::find(times.points, bytes, &Point::bytes);
    if (point != times.points.end()) list.push_back({times.algorithm, point->us});
  }
  if (list.empty()) return std::nullopt;
  std::ranges::stable_sort(list, {}, &Typical::us);
  const auto far = std::ranges::upper_bound(list, kClose * list.front().us, {}, &Typical::us);
  return *(list.begin() + (far - list.begin() - 1) / 2);
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
  return ratio_between(found->points, bytes,
                       [](const Point& point) { return point.us / point.simulated_us; });
}

}  // namespace rondo::select
