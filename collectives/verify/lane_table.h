#pragma once

// The lanes of a world, numbered through: rank by rank. And the channels between them: one FIFO per
// (sender, receiver, lane).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/fused_schedule.h"

namespace rondo::verify {

using LaneId = std::uint32_t;

/// The world is borrowed.
class LaneTable {
 public:
  explicit LaneTable(std::span<const schedule::FusedSchedule> world);

  LaneId size() const { return static_cast<LaneId>(lanes_.size()); }
  schedule::Rank rank(LaneId id) const { return lanes_[id].rank; }
  /// The lane's number within its rank.
  std::uint32_t lane(LaneId id) const { return lanes_[id].lane; }
  LaneId first_of(schedule::Rank rank) const { return first_[static_cast<std::size_t>(rank)]; }
  LaneId end_of(schedule::Rank rank) const { return first_[static_cast<std::size_t>(rank) + 1]; }
  bool has_one_lane_per_rank() const { return most_lanes_ <= 1; }

  const schedule::FusedSchedule& schedule(LaneId id) const {
    return world_[static_cast<std::size_t>(lanes_[id].rank)];
  }
  std::span<const schedule::Sweep> sweeps(LaneId id) const {
    return schedule(id).lanes[lanes_[id].lane];
  }
  std::span<const schedule::Port> sources(LaneId id, const schedule::Sweep& sweep) const {
    return sources_of(schedule(id), sweep);
  }
  std::span<const schedule::Port> targets(LaneId id, const schedule::Sweep& sweep) const {
    return targets_of(schedule(id), sweep);
  }

  struct Channel {
    schedule::Rank from = 0;
    schedule::Rank to = 0;
    std::uint32_t lane = 0;
  };
  std::size_t channels() const { return world_.size() * world_.size() * most_lanes_; }
  std::size_t channel_to(LaneId id, schedule::Rank peer) const {
    return index({lanes_[id].rank, peer, lanes_[id].lane});
  }
  std::size_t channel_from(LaneId id, schedule::Rank peer) const {
    return index({peer, lanes_[id].rank, lanes_[id].lane});
  }
  Channel channel(std::size_t index) const;

 private:
  std::size_t index(const Channel& channel) const;

  struct Lane {
    schedule::Rank rank = 0;
    std::uint32_t lane = 0;
  };
  std::span<const schedule::FusedSchedule> world_;
  std::vector<Lane> lanes_;
  std::vector<LaneId> first_;
  std::size_t most_lanes_ = 1;
};

}  // namespace rondo::verify
