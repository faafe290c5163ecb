#include "collectives/simulate/bound_world.h"

#include <numeric>
#include <utility>

#include "collectives/schedule/join.h"

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
  if (is_new) {
    channels_.push_back(
        {.sender = sender, .from = quotient_.rank_of(sender), .to = to, .lane = lane});
  }
  return found->second;
}

BoundWorld::BoundWorld(const Survey& survey, const Kinds& kinds, const Quotient& quotient)
    : quotient_(quotient),
      ranks_(static_cast<std::size_t>(quotient.representatives())),
      minds_reads_(survey.has_waits()) {
  for (int i = 0; i < quotient.representatives(); ++i) {
    BoundRank& rank = ranks_[static_cast<std::size_t>(i)];
    rank.schedule = join_neighbours(survey.schedule_of(quotient.rank_of(i)));
    bind(rank, survey, kinds);
  }
  index_.clear();
}

void BoundWorld::bind(BoundRank& rank, const Survey& survey, const Kinds& kinds) {
  const schedule::FusedSchedule& schedule = rank.schedule;
  const Rank self = schedule.request.rank;
  rank.channel_of.resize(schedule.ports.size());
  const auto bind_ports = [&](std::uint32_t first, std::uint32_t count, std::uint16_t lane,
                              bool sends) {
    for (std::uint32_t port = first; port < first + count; ++port) {
      if (!schedule.ports[port].is_channel()) continue;
      const std::uint32_t pair = survey.pair_of(self, schedule.ports[port].peer);
      const auto& all = sends ? kinds.sent_from(pair) : kinds.received_at(pair);
      const std::uint32_t own = kinds.exchange_of(sends ? pair : survey.turned(pair));
      const ChannelId id = channel(own, lane, survey, kinds);
      rank.channel_of[port] = id;
      if (all.size() == 1) continue;
      std::vector<ChannelId> others;
      for (const std::uint32_t exchange : all)
        if (exchange != own) others.push_back(channel(exchange, lane, survey, kinds));
      (sends ? sent_beside_ : read_beside_)[id] = std::move(others);
    }
  };
  for (std::size_t lane = 0; lane < schedule.lanes.size(); ++lane) {
    for (const schedule::Sweep& sweep : schedule.lanes[lane]) {
      bind_ports(sweep.first_source, sweep.source_count, static_cast<std::uint16_t>(lane), false);
      bind_ports(sweep.first_target, sweep.target_count, static_cast<std::uint16_t>(lane), true);
    }
  }
}

ChannelId BoundWorld::channel(std::uint32_t exchange, std::uint16_t lane, const Survey& survey,
                              const Kinds& kinds) {
  const std::uint64_t key = (std::uint64_t{lane} << 32U) | exchange;
  const auto [found, is_new] = index_.emplace(key, static_cast<ChannelId>(channels_.size()));
  if (!is_new) return found->second;
  const Exchange& own = kinds.exchanges()[exchange];
  const Rank from = survey.peer(survey.turned(own.pair));
  const Rank to = survey.peer(own.pair);
  channels_.push_back({.sender = quotient_.representative_of(from),
                       .receiver = quotient_.representative_of(to),
                       .from = from,
                       .to = to,
                       .lane = lane,
                       .of_sender = own.of_sender,
                       .of_receiver = own.of_receiver});
  exchange_of_.push_back(exchange);
  sent_beside_.emplace_back();
  read_beside_.emplace_back();
  return found->second;
}

std::span<const ChannelId> BoundWorld::sent_beside(ChannelId channel) const {
  if (sent_beside_.empty()) return {};
  return sent_beside_[channel];
}

std::span<const ChannelId> BoundWorld::read_beside(ChannelId channel) const {
  if (read_beside_.empty()) return {};
  return read_beside_[channel];
}

std::uint64_t BoundWorld::sweeps() const {
  return std::accumulate(ranks_.begin(), ranks_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const BoundRank& rank) {
                           for (const auto& lane : rank.schedule.lanes) sum += lane.size();
                           return sum;
                         });
}

}  // namespace rondo::simulate
