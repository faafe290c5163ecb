#include "collectives/verify/lane_table.h"

#include <algorithm>

namespace rondo::verify {

using schedule::Rank;

LaneTable::LaneTable(std::span<const schedule::FusedSchedule> bases,
                     const schedule::Rotation& rotation)
    : bases_(bases), rotation_(&rotation), channels_(bases, rotation) {
  for (std::size_t rank = 0; rank < bases.size(); ++rank) {
    first_.push_back(size());
    most_lanes_ = std::max(most_lanes_, bases[rank].lanes.size());
    for (std::uint32_t lane = 0; lane < bases[rank].lanes.size(); ++lane) {
      lanes_.push_back({static_cast<Rank>(rank), lane});
    }
  }
  first_.push_back(size());
}

}  // namespace rondo::verify
