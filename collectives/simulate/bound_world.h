#pragma once

// The representatives' schedules, bound: channels by number, rows by bytes. Channels are FIFOs
// between a representative and the representative of its peer. Of kinds (kinds.h) there is a
// channel for each exchange: what one end sends goes into all that begin there. All ranks' sweeps
// lie behind each other, with no more than the simulation asks for: of large worlds it waits for
// memory.

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/simulate/kinds.h"
#include "collectives/simulate/quotient.h"

namespace rondo::simulate {

using ChannelId = std::uint32_t;

struct Channel {
  int sender = 0;           ///< representative
  int receiver = -1;        ///< representative
  schedule::Rank from = 0;  ///< a rank that has it: the sender, or one that it stands for,
  schedule::Rank to = 0;    ///< and whom it sends to
  std::uint16_t lane = 0;
  /// Whether the sender itself has it, and the receiver itself: otherwise only ranks that they
  /// stand for.
  bool of_sender = true;
  bool of_receiver = true;
};

/// A sweep's port that is a channel.
struct BoundPort {
  ChannelId channel = 0;
  bool direct = false;
};

struct BoundSweep {
  std::uint32_t first_port = 0;  ///< its sources that are channels, then its targets. Of a wait:
                                 ///< its number among waits
  std::uint32_t source_count = 0;
  std::uint32_t target_count = 0;
  std::uint32_t reads = 0;   ///< sources that are memory
  std::uint32_t writes = 0;  ///< targets
  std::uint32_t row = 0;
  bool is_wait = false;
  /// Sends to whom the sweep before it has sent, and waits for nothing: over a network both go out
  /// by one call of the system, and are received by one.
  bool follows = false;
};

/// Of a rank's own lanes and sweeps.
struct BoundWait {
  std::uint32_t lane = 0;
  std::uint32_t sweep = 0;
};

/// Sweeps of all ranks, from one to before another.
struct BoundLane {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool is_empty() const { return begin == end; }
};

class BoundWorld {
 public:
  BoundWorld(const schedule::FoldedWorld& world, const Quotient& quotient);
  /// `quotient`: of the kinds.
  BoundWorld(const Survey& survey, const Kinds& kinds, const Quotient& quotient);

  schedule::Collective collective() const { return collective_; }
  std::size_t ranks() const { return first_lane_.size() - 1; }
  std::span<const BoundLane> lanes_of(std::size_t rank) const {
    return std::span(lanes_).subspan(first_lane_[rank], first_lane_[rank + 1] - first_lane_[rank]);
  }
  const std::vector<BoundLane>& lanes() const { return lanes_; }
  const std::vector<BoundSweep>& sweeps() const { return sweeps_; }
  const BoundWait& wait(const BoundSweep& sweep) const { return waits_[sweep.first_port]; }
  bool has_waits() const { return !waits_.empty(); }
  std::span<const BoundPort> sources(const BoundSweep& sweep) const {
    return {ports_.data() + sweep.first_port, sweep.source_count};
  }
  std::span<const BoundPort> targets(const BoundSweep& sweep) const {
    return {ports_.data() + sweep.first_port + sweep.source_count, sweep.target_count};
  }

  const std::vector<Channel>& channels() const { return channels_; }
  /// Channels beside this one into which the same end sends the same; out of which the same end
  /// reads the same. None without kinds.
  std::span<const ChannelId> sent_beside(ChannelId channel) const {
    return channel < sent_beside_.size() ? sent_beside_[channel] : std::span<const ChannelId>();
  }
  std::span<const ChannelId> read_beside(ChannelId channel) const {
    return channel < read_beside_.size() ? read_beside_[channel] : std::span<const ChannelId>();
  }
  /// Of kinds: which exchange the channel belongs to.
  std::uint32_t exchange_of(ChannelId channel) const { return exchange_of_[channel]; }

 private:
  using Beside = std::vector<std::vector<ChannelId>>;
  using Index = boost::unordered_flat_map<std::uint64_t, ChannelId>;

  /// `source(port, lane)` and `target(port, lane)` give the channels of ports that are.
  void mark_followers(BoundLane lane);
  template <typename Source, typename Target>
  void append(const schedule::FusedSchedule& schedule, const Source& source, const Target& target);
  ChannelId channel(Index& index, const Channel& wanted);
  ChannelId channel(Index& index, std::uint32_t exchange, std::uint16_t lane, const Survey& survey,
                    const Kinds& kinds, const Quotient& quotient);

  schedule::Collective collective_;
  std::vector<std::uint32_t> first_lane_;  ///< by rank; one more
  std::vector<BoundLane> lanes_;
  std::vector<BoundSweep> sweeps_;
  std::vector<BoundPort> ports_;
  std::vector<BoundWait> waits_;
  std::vector<Channel> channels_;
  std::vector<std::uint32_t> exchange_of_;
  Beside sent_beside_;
  Beside read_beside_;
};

}  // namespace rondo::simulate
