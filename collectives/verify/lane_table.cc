#include "collectives/verify/lane_table.h"

#include <algorithm>

namespace rondo::verify {

using schedule::Rank;

LaneTable::LaneTable(std::span<const schedule::FusedSchedule> world) : world_(world) {
  for (std::size_t rank = 0; rank < world.size(); ++rank) {
    first_.push_back(size());
    most_lanes_ = std::max(most_lanes_, world[rank].lanes.size());
    for (std::uint32_t lane = 0; lane < world[rank].lanes.size(); ++lane) {
      lanes_.push_back({static_cast<Rank>(rank), lane});
    }
  }
  first_.push_back(size());
}

std::size_t LaneTable::index(const Channel& channel) const {
  const auto from = static_cast<std::size_t>(channel.from);
  return (from * world_.size() + static_cast<std::size_t>(channel.to)) * most_lanes_ + channel.lane;
}

LaneTable::Channel LaneTable::channel(std::size_t index) const {
  const std::size_t pair = index / most_lanes_;
  return {static_cast<Rank>(pair / world_.size()), static_cast<Rank>(pair % world_.size()),
          static_cast<std::uint32_t>(index % most_lanes_)};
}

}  // namespace rondo::verify
