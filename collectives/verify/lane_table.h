#pragma once

// The lanes of a world's bases, numbered through: rank by rank. And the channels between them
// (schedule/channels.h).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/channels.h"
#include "collectives/schedule/fused_schedule.h"
#include "collectives/schedule/rotation.h"

namespace rondo::verify {

using LaneId = std::uint32_t;

/// Bases and rotation are borrowed.
class LaneTable {
 public:
  LaneTable(std::span<const schedule::FusedSchedule> bases, const schedule::Rotation& rotation);
  LaneTable(std::span<const schedule::FusedSchedule>, const schedule::Rotation&&) = delete;

  const schedule::Rotation& rotation() const { return *rotation_; }
  LaneId size() const { return static_cast<LaneId>(lanes_.size()); }
  schedule::Rank rank(LaneId id) const { return lanes_[id].rank; }
  /// The lane's number within its rank.
  std::uint32_t lane(LaneId id) const { return lanes_[id].lane; }
  LaneId first_of(schedule::Rank base) const { return first_[static_cast<std::size_t>(base)]; }
  LaneId end_of(schedule::Rank base) const { return first_[static_cast<std::size_t>(base) + 1]; }
  bool has_one_lane_per_rank() const { return most_lanes_ <= 1; }

  const schedule::FusedSchedule& schedule(LaneId id) const {
    return bases_[static_cast<std::size_t>(lanes_[id].rank)];
  }
  /// The number of a lane, turned by `steps` (-order to order), among those of all ranks
  /// (clocks.h).
  std::uint32_t in_world(LaneId id, int steps) const {
    const int order = rotation_->order();
    const int turn = steps < 0 ? steps + order : steps == order ? 0 : steps;
    return id * static_cast<std::uint32_t>(order) + static_cast<std::uint32_t>(turn);
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

  const schedule::Channels& channels() const { return channels_; }
  std::size_t channel_to(LaneId id, schedule::Rank peer) const {
    return channels_.to(lanes_[id].rank, peer, lanes_[id].lane);
  }
  std::size_t channel_from(LaneId id, schedule::Rank peer) const {
    return channels_.from(lanes_[id].rank, peer, lanes_[id].lane);
  }

 private:
  struct Lane {
    schedule::Rank rank = 0;
    std::uint32_t lane = 0;
  };
  std::span<const schedule::FusedSchedule> bases_;
  const schedule::Rotation* rotation_;
  schedule::Channels channels_;
  std::vector<Lane> lanes_;
  std::vector<LaneId> first_;
  std::size_t most_lanes_ = 1;
};

}  // namespace rondo::verify
