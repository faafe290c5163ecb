#include "collectives/simulate/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rondo::simulate {

std::uint64_t pieces_of(std::size_t row_bytes, std::size_t piece_bytes) {
  if (row_bytes <= piece_bytes) return 1;  // most are: a division takes longer than all the rest
  return (row_bytes + piece_bytes - 1) / piece_bytes;
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
      ranks_(world.ranks()),
      lines_(world.channels().size()),
      steps_(world.has_waits() ? world.sweeps().size() : 0) {
  lanes_.reserve(world.lanes().size());
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const std::span<const BoundLane> lanes = world.lanes_of(i);
    ranks_[i].first_lane = static_cast<std::uint32_t>(lanes_.size());
    ranks_[i].lanes = static_cast<std::uint32_t>(lanes.size());
    for (const BoundLane& lane : lanes)
      lanes_.push_back({.sweep = lane.begin, .begin = lane.begin, .end = lane.end});
  }
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const Channel& channel = world.channels()[i];
    const std::vector<Use> path = wires_.path(channel);
    lines_[i].link = &wires_.link(channel.from, channel.to);
    lines_[i].first_use = static_cast<std::uint32_t>(paths_.size());
    lines_[i].use_count = static_cast<std::uint8_t>(path.size());
    paths_.insert(paths_.end(), path.begin(), path.end());
  }
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
    if (work() > options_.most_work) return too_much_work(options_);
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
  if (world_.has_waits()) pass_waits(rank);
  for (std::uint32_t i = 0; i < state.lanes; ++i) {
    const std::uint32_t lane = (state.next_lane + i) % state.lanes;
    if (!is_ready(rank, lane)) continue;
    state.next_lane = (lane + 1) % state.lanes;
    start_work(rank, lane);
    return;
  }
}

/// All that are over. One that is passed may be what a lane waits for that was looked at before.
void Simulation::pass_waits(int rank) {
  bool any = true;
  while (any) {
    any = false;
    for (std::uint32_t lane = 0; lane < state(rank).lanes; ++lane)
      any = pass_waits(rank, lane) || any;
  }
}

/// Whether there was any.
bool Simulation::pass_waits(int rank, std::uint32_t lane) {
  const std::vector<BoundSweep>& sweeps = world_.sweeps();
  Lane& at = lane_of(rank, lane);
  const std::uint32_t before = at.sweep;
  while (at.sweep < at.end && sweeps[at.sweep].is_wait) {
    const BoundWait& wait = world_.wait(sweeps[at.sweep]);
    const Lane& other = lane_of(rank, wait.lane);
    if (!wait_is_over(other, wait.sweep)) break;
    at.steps = std::max(at.steps, steps_before(other, wait.sweep));
    note_steps(at.sweep, at.steps);
    next_piece(at);
  }
  return at.sweep != before;
}

bool Simulation::is_ready(int rank, std::uint32_t lane) {
  const std::vector<BoundSweep>& sweeps = world_.sweeps();
  const Lane& at = lane_of(rank, lane);
  if (at.sweep == at.end || sweeps[at.sweep].is_wait) return false;
  return std::ranges::all_of(world_.sources(sweeps[at.sweep]), [this](const BoundPort& port) {
    const Line& line = lines_[port.channel];
    return line.first < line.arrived;
  });
}

/// The lane has passed its sweep of this number, and what it and those before it sent has been
/// read.
bool Simulation::wait_is_over(const Lane& lane, std::uint32_t sweep) const {
  if (lane.sweep <= lane.begin + sweep) return false;
  for (std::uint32_t i = lane.begin; i <= lane.begin + sweep; ++i) {
    if (world_.sweeps()[i].is_wait) continue;
    for (const BoundPort& port : world_.targets(world_.sweeps()[i])) {
      const Line& line = lines_[port.channel];
      const bool pending = line.first < line.messages.size();
      if (pending && line.messages[line.first].sweep <= sweep) return false;
    }
  }
  return true;
}

/// That had to be made for such a wait to be over.
std::uint32_t Simulation::steps_before(const Lane& lane, std::uint32_t sweep) const {
  const auto begin = steps_.begin() + lane.begin;
  return *std::max_element(begin, begin + sweep + 1);
}

/// Of a sweep (of all ranks' sweeps), or of who has read what it sent.
void Simulation::note_steps(std::uint32_t sweep, std::uint32_t steps) {
  if (!steps_.empty()) steps_[sweep] = std::max(steps_[sweep], steps);
}

void Simulation::start_work(int rank, std::uint32_t lane) {
  RankState& state = this->state(rank);
  const Lane& at = lane_of(rank, lane);
  const BoundSweep& sweep = world_.sweeps()[at.sweep];
  const SweepCost cost = cost_of(rank, sweep, piece_bytes(sweep, at.piece));
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

SweepCost Simulation::cost_of(int rank, const BoundSweep& sweep, std::size_t bytes) {
  SweepCost cost(network_.work, piece_of(bytes), beyond_cache(rank));
  cost.read_memory(sweep.reads);
  cost.write_memory(sweep.writes);
  for (const BoundPort& port : world_.sources(sweep)) {
    const Line& line = lines_[port.channel];
    const Message& message = line.messages[line.first];
    cost.receive(*line.link, {.stored = message.stored, .follows = message.follows});
  }
  for (const BoundPort& port : world_.targets(sweep))
    cost.send(*lines_[port.channel].link, {.stored = port.direct, .follows = follows(sweep)});
  return cost;
}

void Simulation::end_work(int rank, std::uint32_t lane) {
  RankState& state = this->state(rank);
  Lane& at = lane_of(rank, lane);
  const BoundSweep& sweep = world_.sweeps()[at.sweep];
  const std::size_t bytes = piece_bytes(sweep, at.piece);
  const std::uint32_t index = at.sweep - at.begin;
  record_work(rank, lane, index, bytes);
  for (const BoundPort& port : world_.sources(sweep)) {
    const Line& line = lines_[port.channel];
    at.steps = std::max(at.steps, line.messages[line.first].steps);
  }
  for (const BoundPort& port : world_.sources(sweep)) read_message(port.channel, at.steps);
  for (const BoundPort& port : world_.targets(sweep)) {
    send_message(port.channel, {.bytes = bytes,
                                .begin_us = now_,
                                .sweep = index,
                                .steps = at.steps + 1,
                                .stored = port.direct && lines_[port.channel].link->maps,
                                .follows = follows(sweep)});
  }
  note_steps(at.sweep, at.steps);
  state.busy = false;
  state.done_us = now_;
  next_piece(at);
  touch(rank);
  ++events_;
}

void Simulation::next_piece(Lane& lane) const {
  const BoundSweep& sweep = world_.sweeps()[lane.sweep];
  const std::uint64_t pieces =
      sweep.is_wait ? 1 : pieces_of(row_bytes(sweep), options_.piece_bytes());
  if (++lane.piece < pieces) return;
  lane.piece = 0;
  ++lane.sweep;
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
  for (int rank = 0; rank < quotient_.representatives(); ++rank) {
    const RankState& state = ranks_[static_cast<std::size_t>(rank)];
    for (std::uint32_t lane = 0; lane < state.lanes; ++lane) {
      const Lane& at = lanes_[state.first_lane + lane];
      if (at.sweep == at.end) continue;
      return {ErrorCode::kInvalidArgument,
              fmt::format("the schedule never ends: rank {}, lane {}, waits in step {} for a "
                          "message that nobody sends",
                          quotient_.rank_of(rank), lane, at.sweep - at.begin)};
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

std::size_t Simulation::row_bytes(const BoundSweep& sweep) const {
  return table_.count(sweep.row) * options_.element_bytes;
}

std::size_t Simulation::piece_bytes(const BoundSweep& sweep, std::uint32_t piece) const {
  return std::min(options_.piece_bytes(), row_bytes(sweep) - piece * options_.piece_bytes());
}

/// Of a rank's larger buffer. all_to_all's rows are all ranks' data, of which each has its part.
std::size_t Simulation::rank_bytes() const {
  const std::size_t bytes = table_.total() * options_.element_bytes;
  const bool is_shared_out = world_.collective() == schedule::Collective::kAllToAll;
  return is_shared_out ? bytes / static_cast<std::size_t>(network_.world()) : bytes;
}

double Simulation::beyond_cache(int rank) const {
  if (network_.work.cache_bytes <= 0) return 0;
  const double touched = static_cast<double>(rank_bytes()) * wires_.ranks_of_host(rank);
  return std::max(0.0, 1 - network_.work.cache_bytes / std::max(touched, 1.0));
}

}  // namespace rondo::simulate
