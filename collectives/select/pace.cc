#include "collectives/select/pace.h"

#include "collectives/select/ratio_curve.h"

namespace rondo::select {

double Pace::at(std::size_t bytes) const {
  return ratio_between(points, bytes, [](const Point& point) { return point.ratio; });
}

}  // namespace rondo::select
