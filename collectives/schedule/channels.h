#pragma once

// The channels of a world, numbered: one FIFO per (sender, receiver, lane), for the bases as
// senders and those ranks that they send to. What a base receives from a rank that is no base, that
// rank's base sends, turned. There are as many as there are neighbours, so that worlds of 65,536
// fit.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/schedule/rotation.h"

namespace rondo::schedule {

/// The rotation is borrowed.
class Channels {
 public:
  Channels(std::span<const FusedSchedule> bases, const Rotation& rotation);
  Channels(std::span<const FusedSchedule>, const Rotation&&) = delete;

  /// Numbers are below this; the last one is the channel that nobody sends on.
  std::size_t size() const { return peers_.size() * lanes_ + 1; }
  std::size_t to(Rank base, Rank peer, std::size_t lane) const { return find(base, peer, lane); }
  std::size_t from(Rank base, Rank peer, std::size_t lane) const {
    return find(rotation_->base(peer), rotation_->turned(base, -rotation_->turn(peer)), lane);
  }

  struct Channel {
    Rank from = 0;
    Rank to = 0;
    std::size_t lane = 0;
  };
  /// Of a number that somebody sends on.
  Channel channel(std::size_t number) const;

 private:
  std::size_t find(Rank base, Rank peer, std::size_t lane) const;

  const Rotation* rotation_;
  std::size_t lanes_ = 1;                ///< of the rank that has most
  std::vector<std::size_t> first_peer_;  ///< per base, into peers_; and the end
  std::vector<Rank> peers_;              ///< whom a base sends to, ascending
};

}  // namespace rondo::schedule
