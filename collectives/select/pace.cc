#include "collectives/select/pace.h"

#include "collectives/select/ratio_curve.h"

namespace rondo::select {

double Pace::at(std::size_t bytes, MemoryKind memory) const {
  const bool is_apart = memory == MemoryKind::kRegistered && !registered.empty();
  return ratio_between(is_apart ? registered : ordinary, bytes,
                       [](const Point& point) { return point.ratio; });
}

}  // namespace rondo::select
