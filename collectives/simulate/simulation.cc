#include "collectives/simulate/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rondo::simulate {

using schedule::Sweep;

std::uint64_t segments_of(const Sweep& sweep, const schedule::ChunkTable& table,
                          std::size_t element_bytes, std::size_t segment_bytes) {
  if (sweep.is_wait) return 1;
  const std::size_t bytes = table.count(sweep.row) * element_bytes;
  return std::max<std::size_t>(1, (bytes + segment_bytes - 1) / segment_bytes);
}

Simulation::Simulation(const BoundWorld& world, const Quotient& quotient,
                       const schedule::ChunkTable& table, const Network& network,
                       const Options& options)
    : world_(world),
      quotient_(quotient),
      table_(table),
      network_(network),
      options_(options),
      wires_(network, quotient, fluid_),
      ranks_(world.ranks().size()),
      lines_(world.channels().size()) {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const auto& lanes = world.ranks()[i].schedule.lanes;
    ranks_[i].lanes.resize(lanes.size());
    for (const auto& lane : lanes) ranks_[i].lanes_left += lane.empty() ? 0U : 1U;
  }
  for (std::size_t i = 0; i < lines_.size(); ++i) lines_[i].path = wires_.path(world.channels()[i]);
}

Status Simulation::run() {
  begin();
  for (;;) {
    start_what_is_ready();
    const std::optional<double> time = next_time();
    if (!time) return stuck();
    if (!std::isfinite(*time)) {
      return {ErrorCode::kInvalidArgument,
              "the predicted time is no finite number: the network's speeds are too small"};
    }
    if (events_ + fluid_.work() > options_.most_work) return too_much_work(options_);
    take_in(*time);
  }
}

void Simulation::begin() {
  now_ = on_grid(network_.work.call_us);
  fluid_.advance(now_, ended_);
  for (int rank = 0; rank < quotient_.representatives(); ++rank) {
    state(rank).done_us = now_;
    touch(rank);
  }
}

void Simulation::touch(int rank) {
  if (state(rank).touched) return;
  state(rank).touched = true;
  touched_.push_back(rank);
}

void Simulation::start_what_is_ready() {
  for (const int rank : touched_) {
    state(rank).touched = false;
    if (!state(rank).busy) start_next(rank);
  }
  touched_.clear();
}

void Simulation::start_next(int rank) {
  RankState& state = this->state(rank);
  const auto lanes = static_cast<std::uint32_t>(state.lanes.size());
  for (std::uint32_t i = 0; i < lanes; ++i) {
    const std::uint32_t lane = (state.next_lane + i) % lanes;
    if (!is_ready(rank, lane)) continue;
    state.next_lane = (lane + 1) % lanes;
    start_work(rank, lane);
    return;
  }
}

bool Simulation::is_ready(int rank, std::uint32_t lane) {
  const auto& sweeps = bound(rank).schedule.lanes[lane];
  Lane& at = state(rank).lanes[lane];
  while (at.sweep < sweeps.size() && sweeps[at.sweep].is_wait) {
    if (!wait_is_over(rank, sweeps[at.sweep])) return false;
    next_segment(rank, lane);
  }
  if (at.sweep == sweeps.size()) return false;
  const Sweep& sweep = sweeps[at.sweep];
  for (std::uint32_t i = 0; i < sweep.source_count; ++i) {
    const std::uint32_t port = sweep.first_source + i;
    if (!bound(rank).schedule.ports[port].is_channel()) continue;
    const Line& line = lines_[bound(rank).channel_of[port]];
    if (line.first == line.arrived) return false;
  }
  return true;
}

/// The lane has passed the sweep, and what it and those before it sent has been read.
bool Simulation::wait_is_over(int rank, const Sweep& wait) const {
  const BoundRank& bound = this->bound(rank);
  const auto& sweeps = bound.schedule.lanes[wait.wait_lane];
  if (ranks_[static_cast<std::size_t>(rank)].lanes[wait.wait_lane].sweep <= wait.wait_sweep)
    return false;
  for (std::uint32_t i = 0; i <= wait.wait_sweep; ++i) {
    for (std::uint32_t target = 0; target < sweeps[i].target_count; ++target) {
      const std::uint32_t port = sweeps[i].first_target + target;
      if (!bound.schedule.ports[port].is_channel()) continue;
      const Line& line = lines_[bound.channel_of[port]];
      const bool pending = line.first < line.messages.size();
      if (pending && line.messages[line.first].sweep <= wait.wait_sweep) return false;
    }
  }
  return true;
}

void Simulation::start_work(int rank, std::uint32_t lane) {
  RankState& state = this->state(rank);
  const Sweep& sweep = sweep_of(rank, lane);
  const SweepCost cost = cost_of(rank, sweep, segment_bytes(sweep, state.lanes[lane].segment));
  const double us = cost.us();
  uses_.clear();
  if (us > 0) wires_.work(rank, cost.memory_bytes() / us, uses_);
  const ActivityId id = fluid_.start(us, 1, uses_);
  if (id >= owners_.size()) owners_.resize(id + 1);
  owners_[id] = {.is_message = false, .index = static_cast<std::uint32_t>(rank), .lane = lane};
  state.busy = true;
  state.begin_us = now_;
  state.busy_us += us;
}

SweepCost Simulation::cost_of(int rank, const Sweep& sweep, std::size_t bytes) {
  const BoundRank& bound = this->bound(rank);
  const schedule::Rank self = quotient_.rank_of(rank);
  SweepCost cost(network_.work, bytes, beyond_cache(rank));
  for (std::uint32_t i = 0; i < sweep.source_count; ++i) {
    const std::uint32_t port = sweep.first_source + i;
    if (!bound.schedule.ports[port].is_channel()) {
      cost.read_memory();
      continue;
    }
    const Line& line = lines_[bound.channel_of[port]];
    cost.receive(wires_.link(bound.schedule.ports[port].peer, self),
                 line.messages[line.first].stored);
  }
  for (std::uint32_t i = 0; i < sweep.target_count; ++i) {
    const schedule::Port& port = bound.schedule.ports[sweep.first_target + i];
    if (port.is_channel()) {
      cost.send(wires_.link(self, port.peer), port.direct);
    } else {
      cost.write_memory();
    }
  }
  return cost;
}

void Simulation::end_work(int rank, std::uint32_t lane) {
  RankState& state = this->state(rank);
  const BoundRank& bound = this->bound(rank);
  const Sweep& sweep = sweep_of(rank, lane);
  const std::size_t bytes = segment_bytes(sweep, state.lanes[lane].segment);
  record_work(rank, lane, bytes);
  for (std::uint32_t i = 0; i < sweep.source_count; ++i) {
    const std::uint32_t port = sweep.first_source + i;
    if (bound.schedule.ports[port].is_channel()) read_message(bound.channel_of[port]);
  }
  for (std::uint32_t i = 0; i < sweep.target_count; ++i) {
    const std::uint32_t index = sweep.first_target + i;
    const schedule::Port& port = bound.schedule.ports[index];
    if (!port.is_channel()) continue;
    const bool maps = wires_.link(quotient_.rank_of(rank), port.peer).maps;
    send_message(bound.channel_of[index], {.bytes = bytes,
                                           .stored = port.direct && maps,
                                           .begin_us = now_,
                                           .sweep = state.lanes[lane].sweep});
  }
  state.busy = false;
  state.done_us = now_;
  next_segment(rank, lane);
  touch(rank);
  ++events_;
}

void Simulation::next_segment(int rank, std::uint32_t lane) {
  RankState& state = this->state(rank);
  Lane& at = state.lanes[lane];
  const auto& sweeps = bound(rank).schedule.lanes[lane];
  const std::uint64_t segments =
      segments_of(sweeps[at.sweep], table_, options_.element_bytes, options_.segment_bytes);
  if (++at.segment < segments) return;
  at.segment = 0;
  if (++at.sweep == sweeps.size()) --state.lanes_left;
}

std::optional<double> Simulation::next_time() {
  std::optional<double> time = fluid_.next_end();
  if (!arrivals_.empty() && (!time || arrivals_.top().time < *time)) time = arrivals_.top().time;
  return time;
}

void Simulation::take_in(double time) {
  now_ = time;
  ended_.clear();
  fluid_.advance(time, ended_);
  // Their numbers are used again by what begins meanwhile.
  over_.clear();
  for (const ActivityId id : ended_) {
    over_.push_back(owners_[id]);
    if (owners_[id].is_message) lines_[owners_[id].index].trace.add(fluid_.trace(id));
  }
  for (const Owner& owner : over_) {
    if (owner.is_message) {
      land(owner.index);
    } else {
      end_work(static_cast<int>(owner.index), owner.lane);
    }
  }
  while (!arrivals_.empty() && arrivals_.top().time <= time) {
    const ChannelId channel = arrivals_.top().channel;
    arrivals_.pop();
    arrive(channel);
  }
}

/// OK if all lanes have come to their end and all messages have been read.
Status Simulation::stuck() const {
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (ranks_[i].lanes_left == 0) continue;
    for (std::size_t lane = 0; lane < ranks_[i].lanes.size(); ++lane) {
      const std::uint32_t sweep = ranks_[i].lanes[lane].sweep;
      if (sweep == world_.ranks()[i].schedule.lanes[lane].size()) continue;
      return {ErrorCode::kInvalidArgument,
              fmt::format("the schedule never ends: rank {}, lane {}, waits in step {} for a "
                          "message that nobody sends",
                          quotient_.rank_of(static_cast<int>(i)), lane, sweep)};
    }
  }
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const Channel& channel = world_.channels()[i];
    if (lines_[i].first == lines_[i].messages.size() || !channel.of_sender) continue;
    return {ErrorCode::kInvalidArgument,
            fmt::format("rank {} sends rank {} a message that isn't received",
                        quotient_.rank_of(channel.sender), channel.to)};
  }
  return {};
}

const Sweep& Simulation::sweep_of(int rank, std::uint32_t lane) const {
  const std::uint32_t sweep = ranks_[static_cast<std::size_t>(rank)].lanes[lane].sweep;
  return bound(rank).schedule.lanes[lane][sweep];
}

std::size_t Simulation::segment_bytes(const Sweep& sweep, std::uint32_t segment) const {
  const std::size_t bytes = table_.count(sweep.row) * options_.element_bytes;
  return std::min(options_.segment_bytes, bytes - segment * options_.segment_bytes);
}

double Simulation::beyond_cache(int rank) const {
  if (network_.work.cache_bytes <= 0) return 0;
  const double touched =
      static_cast<double>(table_.total() * options_.element_bytes) * wires_.ranks_of_host(rank);
  return std::max(0.0, 1 - network_.work.cache_bytes / std::max(touched, 1.0));
}

}  // namespace rondo::simulate
