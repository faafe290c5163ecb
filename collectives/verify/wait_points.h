#pragma once

// The sweeps that some wait names: whether they are done, and what a lane learns by waiting for
// them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "collectives/verify/clocks.h"
#include "collectives/verify/lane_table.h"
#include "collectives/verify/world_memory.h"

namespace rondo::verify {

class WaitPoints {
 public:
  /// 0: nobody waits for that sweep.
  using Id = std::uint32_t;

  /// `teaches_consumers`: who waits knows what those know that took the messages.
  WaitPoints(const LaneTable& lanes, bool teaches_consumers);

  Id find(LaneId lane, std::size_t sweep) const;
  bool is_over(Id id) const { return points_[id].executed && points_[id].pending_sends == 0; }

  /// The sweep has sent messages that must be consumed before it is done.
  void add_sends(Id id, std::uint32_t count) { points_[id].pending_sends += count; }
  /// One of these messages is lent.
  void add_loan(Id id, LoanId loan) { points_[id].loans.push_back(loan); }
  std::span<const LoanId> loans(Id id) const { return points_[id].loans; }
  /// The sweep has run, as the last thing that `lane` did.
  void execute(Id id, LaneId lane, Clocks& clocks);
  /// `consumer`, turned by `steps`, has taken one of the messages.
  void consume(Id id, LaneId consumer, int steps, Clocks& clocks);
  /// `lane` has waited.
  void join(Id id, LaneId lane, Clocks& clocks) const { clocks.join(lane, points_[id].clock); }

 private:
  struct Point {
    bool executed = false;
    std::uint32_t pending_sends = 0;
    Clocks::Snapshot clock = 0;
    std::vector<LoanId> loans;
  };
  static std::uint64_t key(LaneId lane, std::size_t sweep) {
    return std::uint64_t{lane} << 32 | sweep;
  }
  bool teaches_consumers_;
  std::vector<Point> points_{1};
  std::unordered_map<std::uint64_t, Id> ids_;
};

}  // namespace rondo::verify
