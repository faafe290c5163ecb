#pragma once

// What is executed: ops turned into sweeps. A sweep reads every source once, combines them in the
// order written, and stores the result to every target, segment by segment. A plain op is a sweep
// with one or two sources and one target; the fusing pass (fuse.h) joins more. The verifier reads
// sweeps, so what it proves is what runs.

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/rank_schedule.h"

namespace rondo::schedule {

enum class PortKind : std::uint8_t {
  kMemory,   ///< a slice of this rank's own buffers
  kChannel,  ///< the FIFO from (source) or to (target) `peer` on the sweep's lane
};

struct Port {
  bool is_channel() const { return kind == PortKind::kChannel; }

  PortKind kind = PortKind::kMemory;
  /// Target channels only: the receiver's `slice` is proved free whenever this sweep runs, so where
  /// that memory is mapped the sweep may store straight into it (the message then carries nothing).
  bool direct = false;
  Rank peer = -1;
  Slice slice;  ///< kMemory: own slice. Target channel with `direct`: the receiver's slice.

  friend bool operator==(const Port&, const Port&) = default;
};

struct Sweep {
  std::uint32_t first_source = 0;  ///< index into FusedSchedule::ports
  std::uint32_t source_count = 0;
  std::uint32_t first_target = 0;
  std::uint32_t target_count = 0;
  std::uint32_t row = 0;  ///< the row whose size every port has
  bool final = false;     ///< an average divides here
  /// Of a folded world (rotation.h): each turn of this sweep combines what turning makes of its
  /// sources in the order of the ranks that they come from.
  bool by_rank = false;
  bool is_wait = false;  ///< no ports; waits for sweep `wait_sweep` of lane `wait_lane`
  std::uint32_t wait_lane = 0;
  std::uint32_t wait_sweep = 0;

  friend bool operator==(const Sweep&, const Sweep&) = default;
};

struct FusedSchedule {
  Request request;
  std::vector<Port> ports;
  std::vector<std::vector<Sweep>> lanes;
  std::vector<std::uint32_t> scratch_rows;
  bool lowered = false;  ///< each sweep is the op of the same number, and errors call it that
};

std::span<const Port> sources_of(const FusedSchedule& schedule, const Sweep& sweep);
std::span<const Port> targets_of(const FusedSchedule& schedule, const Sweep& sweep);
/// The memory behind the messages of a sweep that sends.
Slice backing_of(const FusedSchedule& schedule, const Sweep& sweep);

/// The rank that a source's value comes from: the sender, or the rank itself.
Rank source_rank(const FusedSchedule& schedule, const Port& source);
/// Whether the sources come from ascending ranks, each from another.
bool are_by_rank(const FusedSchedule& schedule, std::span<const Port> sources);

/// Each op as a sweep of its own: the unfused form.
FusedSchedule lower(const RankSchedule& schedule);

}  // namespace rondo::schedule
