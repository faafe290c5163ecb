#include "collectives/simulate/bound_world.h"

#include <numeric>

namespace rondo::simulate {

using schedule::Rank;

BoundWorld::BoundWorld(const schedule::FoldedWorld& world, const Quotient& quotient)
    : quotient_(quotient), ranks_(static_cast<std::size_t>(quotient.representatives())) {
  for (int i = 0; i < quotient.representatives(); ++i) {
    BoundRank& rank = ranks_[static_cast<std::size_t>(i)];
    rank.schedule = unfold(world, quotient.rank_of(i));
    bind(rank, i);
  }
  index_.clear();
}

void BoundWorld::bind(BoundRank& rank, int representative) {
  const schedule::FusedSchedule& schedule = rank.schedule;
  rank.channel_of.resize(schedule.ports.size());
  for (std::size_t lane = 0; lane < schedule.lanes.size(); ++lane) {
    for (const schedule::Sweep& sweep : schedule.lanes[lane]) {
      for (std::uint32_t i = 0; i < sweep.source_count; ++i) {
        const std::uint32_t port = sweep.first_source + i;
        if (!schedule.ports[port].is_channel()) continue;
        const Rank peer = schedule.ports[port].peer;
        const ChannelId id = channel(quotient_.representative_of(peer),
                                     quotient_.as_sent_by_representative(peer, representative),
                                     static_cast<std::uint16_t>(lane));
        channels_[id].receiver = representative;
        channels_[id].from = peer;
        rank.channel_of[port] = id;
      }
      for (std::uint32_t i = 0; i < sweep.target_count; ++i) {
        const std::uint32_t port = sweep.first_target + i;
        if (!schedule.ports[port].is_channel()) continue;
        rank.channel_of[port] =
            channel(representative, schedule.ports[port].peer, static_cast<std::uint16_t>(lane));
      }
    }
  }
}

ChannelId BoundWorld::channel(int sender, Rank to, std::uint16_t lane) {
  const std::uint64_t key = (static_cast<std::uint64_t>(lane) << 48) |
                            (static_cast<std::uint64_t>(sender) << 24) |
                            static_cast<std::uint64_t>(to);
  const auto [found, is_new] = index_.emplace(key, static_cast<ChannelId>(channels_.size()));
  if (is_new) channels_.push_back({.sender = sender, .to = to, .lane = lane});
  return found->second;
}

std::uint64_t BoundWorld::sweeps() const {
  return std::accumulate(ranks_.begin(), ranks_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const BoundRank& rank) {
                           for (const auto& lane : rank.schedule.lanes) sum += lane.size();
                           return sum;
                         });
}

}  // namespace rondo::simulate
