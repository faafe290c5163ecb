#include "collectives/verify/wait_points.h"

namespace rondo::verify {

WaitPoints::WaitPoints(const LaneTable& lanes, bool teaches_consumers)
    : teaches_consumers_(teaches_consumers) {
  for (LaneId lane = 0; lane < lanes.size(); ++lane) {
    for (const schedule::Sweep& sweep : lanes.sweeps(lane)) {
      if (!sweep.is_wait) continue;
      const LaneId target = lanes.first_of(lanes.rank(lane)) + sweep.wait_lane;
      const auto id = static_cast<Id>(points_.size());
      if (ids_.emplace(key(target, sweep.wait_sweep), id).second) points_.emplace_back();
    }
  }
}

WaitPoints::Id WaitPoints::find(LaneId lane, std::size_t sweep) const {
  if (ids_.empty()) return 0;
  const auto found = ids_.find(key(lane, sweep));
  return found == ids_.end() ? 0 : found->second;
}

void WaitPoints::execute(Id id, LaneId lane, Clocks& clocks) {
  points_[id].executed = true;
  points_[id].clock = clocks.take(lane, 1);
}

void WaitPoints::consume(Id id, LaneId consumer, int steps, Clocks& clocks) {
  --points_[id].pending_sends;
  if (teaches_consumers_) clocks.extend(points_[id].clock, consumer, steps);
}

}  // namespace rondo::verify
