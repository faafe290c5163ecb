#pragma once

// What happens before what in a world of schedules, found by running it once with bounded channels
// and no data. Sweeps and FIFOs are a Kahn network, so one order stands for all.
//
// Sweeps are numbered through the world: rank by rank, lane by lane. A sweep happens before what
// follows it in its lane, before the receivers of its messages, and before what waits for it.
// That a full channel or a wait also shows when messages were consumed is left out on purpose: it
// isn't so where messages are copied.
// Source: G. Kahn, IFIP 1974; F. Mattern, "Virtual time and global states" (1989).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collectives/schedule/fused_schedule.h"

namespace rondo::schedule {

/// Messages that a channel must be able to hold (sent and not yet consumed) for any fused schedule.
/// One isn't enough: on a ring where every sweep receives and sends, every channel would be full.
inline constexpr std::size_t kMessagesPerChannel = 2;

class Causality {
 public:
  using SweepId = std::uint32_t;

  /// Nothing where the world can't run to its end with kMessagesPerChannel.
  static std::optional<Causality> of(std::span<const FusedSchedule> world);

  /// Nothing is known of worlds whose clocks would take more than 128 MB.
  bool has_clocks() const { return !clocks_.empty(); }

  SweepId id(Rank rank, std::size_t lane, std::size_t sweep) const;
  /// The sweep that receives what `sender` sends to `peer`.
  SweepId receiver(SweepId sender, Rank peer) const;
  bool happens_before(SweepId earlier, SweepId later) const;
  /// Whether `rank` has surely entered the call when `sweep` runs.
  bool has_started(Rank rank, SweepId sweep) const;
  bool same_lane(SweepId a, SweepId b) const { return lane_of_[a] == lane_of_[b]; }

 private:
  friend class CausalityRun;
  struct Message {
    SweepId sender;
    Rank peer;
    SweepId receiver;
  };
  std::vector<std::uint32_t> first_lane_;     ///< per rank, in lanes of the world
  std::vector<SweepId> first_sweep_;          ///< per lane of the world, and the end
  std::vector<std::uint32_t> lane_of_;        ///< per sweep
  std::vector<std::uint32_t> first_message_;  ///< per sweep, into messages_
  std::vector<Message> messages_;
  std::vector<std::uint32_t> clocks_;  ///< per sweep, one entry per lane of the world
};

}  // namespace rondo::schedule
