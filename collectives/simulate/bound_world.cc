#include "collectives/simulate/bound_world.h"

#include <utility>

#include "collectives/schedule/join.h"

namespace rondo::simulate {

using schedule::FusedSchedule;
using schedule::Port;
using schedule::Rank;
using schedule::Sweep;

template <typename Source, typename Target>
void BoundWorld::append(const FusedSchedule& schedule, const Source& source, const Target& target) {
  const auto bind = [&](const Sweep& sweep, std::uint16_t lane) {
    BoundSweep bound{.first_port = static_cast<std::uint32_t>(ports_.size()), .row = sweep.row};
    for (const Port& port : sources_of(schedule, sweep)) {
      if (!port.is_channel()) continue;
      ports_.push_back({source(port, lane), false});
      ++bound.source_count;
    }
    for (const Port& port : targets_of(schedule, sweep)) {
      if (!port.is_channel()) continue;
      ports_.push_back({target(port, lane), port.direct});
      ++bound.target_count;
    }
    bound.reads = sweep.source_count - bound.source_count;
    bound.writes = sweep.target_count - bound.target_count;
    return bound;
  };
  for (std::size_t lane = 0; lane < schedule.lanes.size(); ++lane) {
    const auto begin = static_cast<std::uint32_t>(sweeps_.size());
    for (const Sweep& sweep : schedule.lanes[lane]) {
      if (sweep.is_wait) {
        sweeps_.push_back(
            {.first_port = static_cast<std::uint32_t>(waits_.size()), .is_wait = true});
        waits_.push_back({sweep.wait_lane, sweep.wait_sweep});
      } else {
        sweeps_.push_back(bind(sweep, static_cast<std::uint16_t>(lane)));
      }
    }
    lanes_.push_back({begin, static_cast<std::uint32_t>(sweeps_.size())});
    mark_followers(lanes_.back());
  }
  first_lane_.push_back(static_cast<std::uint32_t>(lanes_.size()));
}

void BoundWorld::mark_followers(BoundLane lane) {
  /// As many messages as one call takes (transport/tcp/out_stream.h).
  constexpr int kMostTogether = 8;
  const auto only_sends = [](const BoundSweep& sweep) {
    return !sweep.is_wait && sweep.source_count == 0 && sweep.writes == 0 &&
           sweep.target_count == 1;
  };
  int together = 1;
  for (std::uint32_t i = lane.begin + 1; i < lane.end; ++i) {
    const bool alike = only_sends(sweeps_[i - 1]) && only_sends(sweeps_[i]) &&
                       targets(sweeps_[i - 1])[0].channel == targets(sweeps_[i])[0].channel;
    together = alike && together < kMostTogether ? together + 1 : 1;
    sweeps_[i].follows = together > 1;
  }
}

BoundWorld::BoundWorld(const schedule::FoldedWorld& world, const Quotient& quotient)
    : collective_(world.bases.front().request.collective), first_lane_{0} {
  Index index;
  for (int rank = 0; rank < quotient.representatives(); ++rank) {
    const auto source = [&](const Port& port, std::uint16_t lane) {
      const int sender = quotient.representative_of(port.peer);
      const ChannelId id =
          channel(index, {.sender = sender,
                          .from = quotient.rank_of(sender),
                          .to = quotient.as_sent_by_representative(port.peer, rank),
                          .lane = lane});
      channels_[id].receiver = rank;
      return id;
    };
    const auto target = [&](const Port& port, std::uint16_t lane) {
      return channel(
          index, {.sender = rank, .from = quotient.rank_of(rank), .to = port.peer, .lane = lane});
    };
    append(unfold(world, quotient.rank_of(rank)), source, target);
  }
}

ChannelId BoundWorld::channel(Index& index, const Channel& wanted) {
  const std::uint64_t key = (static_cast<std::uint64_t>(wanted.lane) << 48) |
                            (static_cast<std::uint64_t>(wanted.sender) << 24) |
                            static_cast<std::uint64_t>(wanted.to);
  const auto [found, is_new] = index.emplace(key, static_cast<ChannelId>(channels_.size()));
  if (is_new) channels_.push_back(wanted);
  return found->second;
}

BoundWorld::BoundWorld(const Survey& survey, const Kinds& kinds, const Quotient& quotient)
    : collective_(survey.collective()), first_lane_{0} {
  Index index;
  const auto bound = [&](Rank self, Rank peer, std::uint16_t lane, bool sends) {
    const std::uint32_t pair = survey.pair_of(self, peer);
    const std::uint32_t own = kinds.exchange_of(sends ? pair : survey.turned(pair));
    const ChannelId id = channel(index, own, lane, survey, kinds, quotient);
    const auto all = sends ? kinds.sent_from(pair) : kinds.received_at(pair);
    if (all.size() == 1) return id;
    std::vector<ChannelId> others;
    for (const std::uint32_t exchange : all) {
      if (exchange != own)
        others.push_back(channel(index, exchange, lane, survey, kinds, quotient));
    }
    Beside& beside = sends ? sent_beside_ : read_beside_;
    if (beside.size() <= id) beside.resize(id + std::size_t{1});
    beside[id] = std::move(others);
    return id;
  };
  for (int rank = 0; rank < quotient.representatives(); ++rank) {
    const Rank self = quotient.rank_of(rank);
    append(
        join_neighbours(survey.schedule_of(self)),
        [&](const Port& port, std::uint16_t lane) { return bound(self, port.peer, lane, false); },
        [&](const Port& port, std::uint16_t lane) { return bound(self, port.peer, lane, true); });
  }
}

ChannelId BoundWorld::channel(Index& index, std::uint32_t exchange, std::uint16_t lane,
                              const Survey& survey, const Kinds& kinds, const Quotient& quotient) {
  const std::uint64_t key = (std::uint64_t{lane} << 32U) | exchange;
  const auto [found, is_new] = index.emplace(key, static_cast<ChannelId>(channels_.size()));
  if (!is_new) return found->second;
  const Exchange& own = kinds.exchanges()[exchange];
  const Rank from = survey.peer(survey.turned(own.pair));
  const Rank to = survey.peer(own.pair);
  channels_.push_back({.sender = quotient.representative_of(from),
                       .receiver = quotient.representative_of(to),
                       .from = from,
                       .to = to,
                       .lane = lane,
                       .of_sender = own.of_sender,
                       .of_receiver = own.of_receiver});
  exchange_of_.push_back(exchange);
  return found->second;
}

}  // namespace rondo::simulate
