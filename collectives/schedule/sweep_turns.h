#pragma once

// Compares joined schedules for fold_joined.

#include <vector>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/schedule/rotation_step.h"

namespace rondo::schedule {

/// Of sweeps with several sources it finds out whether turning leaves their order, or whether each
/// rank has them in the order of the ranks that they come from.
class SweepTurns {
 public:
  /// `first` is any of the schedules. The step is borrowed.
  SweepTurns(const FusedSchedule& first, RotationStep& step);

  /// Whether the step makes `next` of `own`, but for the order of sources.
  bool turn(const FusedSchedule& own, const FusedSchedule& next);
  /// When all have been compared: whether every sweep's sources keep one of the two orders.
  bool agree() const;
  /// Sets by_rank where only that order is kept.
  void mark(FusedSchedule& base) const;

 private:
  struct Orders {
    bool turned = true;   ///< so far turning has left the order
    bool by_rank = true;  ///< so far each rank has had the order of ranks
  };
  bool turn(const FusedSchedule& own, const FusedSchedule& next, std::size_t lane,
            std::size_t index);
  bool turn(const Port& own, const Port& next);
  bool turn_in_order(std::span<const Port> own, std::span<const Port> next);
  bool turn_by_rank(const FusedSchedule& own, std::span<const Port> sources,
                    const FusedSchedule& next, std::span<const Port> next_sources);

  RotationStep& step_;
  std::vector<std::vector<Orders>> orders_;  ///< per lane, per sweep
};

}  // namespace rondo::schedule
