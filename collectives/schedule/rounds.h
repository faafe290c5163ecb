#pragma once

// A rank's part of a world of schedules in rounds, for whoever knows messages but no channels: a
// message of NCCL's ends when both of its ranks have come to it, and all that stands behind it in a
// stream waits for that. Asked for one by one, messages that cross would wait for each other for
// good. Those of a group wait for nothing of each other; so all is well where both ranks have each
// message in the group of the same number.
//
// Which these are is found by running the world: every lane goes on to the next sweep that lacks a
// message; then all messages that are sent and wanted are exchanged at once. What the verifier has
// proved of the schedule (its direct channel: a source is left alone until the sweep that reads it)
// makes it safe that a message is read no earlier than in its round, and its target written no
// later. A lane that waits for a message goes on once that sweep is done.
//
// Pure: a function of the world's schedules, so all ranks find the same rounds. Costs as much as
// reading every rank's sweeps once. Threads: any.
// Source: NCCL user guide, "Point-to-point communication" and "Group calls".

#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/fused_schedule.h"
#include "core/status.h"

namespace rondo::schedule {

struct RoundSweep {
  std::uint16_t lane = 0;
  std::uint32_t sweep = 0;
};

/// One port of a sweep: of its targets where it is sent, of its sources where it is received.
struct RoundMessage {
  std::uint16_t lane = 0;
  std::uint32_t sweep = 0;
  std::uint32_t port = 0;
  Rank peer = -1;
};

/// First the sweeps, in this order, then all messages at once. Messages between two ranks are in
/// the same order on both. The last round may have sweeps alone.
struct Round {
  std::vector<RoundSweep> sweeps;
  std::vector<RoundMessage> sends;
  std::vector<RoundMessage> receives;
};

/// Those of `rank`. Errors: Internal: a message is wanted that nobody sends, or the other way
/// round.
Result<std::vector<Round>> rounds_of(std::span<const FusedSchedule> world, Rank rank);

}  // namespace rondo::schedule
