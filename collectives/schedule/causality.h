#pragma once

// What happens before what in a world of schedules, found by running it once with bounded channels
// and no data. Sweeps and FIFOs are a Kahn network, so one order stands for all; in a world with a
// rotation, the one in which all turns of a rank do the same step together.
//
// Sweeps of the bases are numbered through: rank by rank, lane by lane. A sweep happens before what
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
#include "collectives/schedule/rotation.h"

namespace rondo::schedule {

/// Messages that a channel must be able to hold (sent and not yet consumed) for any fused schedule.
/// One isn't enough: on a ring where every sweep receives and sends, every channel would be full.
inline constexpr std::size_t kMessagesPerChannel = 2;

class Causality {
 public:
  using SweepId = std::uint32_t;
  /// A sweep of the base's rank, turned: of any rank.
  struct TurnedSweep {
    SweepId id = 0;
    int turn = 0;  ///< less than the rotation's order
    friend bool operator==(const TurnedSweep&, const TurnedSweep&) = default;
  };

  /// `rotation` is borrowed. Nothing where the world can't run to its end with kMessagesPerChannel.
  static std::optional<Causality> of(std::span<const FusedSchedule> bases,
                                     const Rotation& rotation);
  static std::optional<Causality> of(std::span<const FusedSchedule>, const Rotation&&) = delete;

  const Rotation& rotation() const { return *rotation_; }
  /// Nothing is known of worlds whose clocks would take more than 128 MB.
  bool has_clocks() const { return !clocks_.empty(); }

  SweepId id(Rank base, std::size_t lane, std::size_t sweep) const;
  TurnedSweep turned(TurnedSweep sweep, int steps) const;
  /// The sweep that receives what `sender` sends to `peer`.
  TurnedSweep receiver(TurnedSweep sender, Rank peer) const;
  bool happens_before(TurnedSweep earlier, TurnedSweep later) const;
  /// Whether `rank` has surely entered the call when `sweep` runs.
  bool has_started(Rank rank, SweepId sweep) const;

 private:
  friend class CausalityRun;
  struct Message {
    SweepId sender;
    Rank peer;
    TurnedSweep receiver;
  };
  std::size_t clock_entries() const { return (first_sweep_.size() - 1) * order(); }
  std::size_t order() const { return static_cast<std::size_t>(rotation_->order()); }
  const Rotation* rotation_ = nullptr;
  std::vector<std::uint32_t> first_lane_;     ///< per base, in lanes of the bases
  std::vector<SweepId> first_sweep_;          ///< per lane of the bases, and the end
  std::vector<std::uint32_t> lane_of_;        ///< per sweep
  std::vector<std::uint32_t> first_message_;  ///< per sweep, into messages_
  std::vector<Message> messages_;
  std::vector<std::uint32_t> clocks_;  ///< per sweep, per lane of the bases, one entry per turn
};

}  // namespace rondo::schedule
