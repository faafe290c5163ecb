// What becomes of messages between the end of the work that sent them and their receiver's.

#include <algorithm>

#include "collectives/simulate/simulation.h"

namespace rondo::simulate {

void Simulation::send_message(ChannelId channel, const Message& message) {
  put_in_line(channel, message);
  for (const ChannelId other : world_.sent_beside(channel)) put_in_line(other, message);
}

void Simulation::put_in_line(ChannelId channel, const Message& message) {
  Line& line = lines_[channel];
  line.messages.push_back(message);
  line.sent += pieces_of(message.bytes, options_.segment_bytes);
  line.bytes += message.bytes;
  ++events_;
  if (!line.busy) start_wire(channel);
}

/// The next message that waits for the wire goes out, if there is one. One that nothing limits has
/// passed at once.
void Simulation::start_wire(ChannelId id) {
  Line& line = lines_[id];
  const Link& link = *line.link;
  while (line.landing < line.messages.size()) {
    const std::size_t bytes = line.messages[line.landing].bytes;
    if ((line.use_count == 0 && link.bytes_per_us == kUnlimited) || bytes == 0) {
      land(id);
      continue;
    }
    const ActivityId activity =
        fluid_.start(static_cast<double>(bytes), link.bytes_per_us, path(line));
    if (activity >= owners_.size()) owners_.resize(activity + 1);
    owners_[activity] = {.is_message = true, .index = id};
    line.busy = true;
    return;
  }
}

/// A message has passed the wire.
void Simulation::land(ChannelId id) {
  Line& line = lines_[id];
  const Message& message = line.messages[line.landing++];
  const std::size_t bytes = piece_of(message.bytes).longest_message();
  line.last_arrival_us =
      std::max(line.last_arrival_us, on_grid(now_ + line.link->cost_of(bytes).latency_us));
  line.trace.add(now_);
  line.trace.add(line.last_arrival_us);
  line.trace.add(std::uint64_t{message.steps});
  arrivals_.push({line.last_arrival_us, id});
  record_message(id, message, line.last_arrival_us);
  if (!line.busy) return;
  line.busy = false;
  start_wire(id);
}

void Simulation::arrive(ChannelId id) {
  ++lines_[id].arrived;
  const int receiver = world_.channels()[id].receiver;
  if (receiver >= 0) touch(receiver);
}

/// `steps`: of its reader.
void Simulation::read_message(ChannelId id, std::uint32_t steps) {
  tell_sender(id, steps);
  for (const ChannelId other : world_.read_beside(id)) {
    // Of what isn't there yet the kinds are wrong: that shows in the traces.
    if (lines_[other].first < lines_[other].arrived) tell_sender(other, steps);
  }
}

/// The memory that it was read from is the sender's to write again.
void Simulation::tell_sender(ChannelId id, std::uint32_t steps) {
  Line& line = lines_[id];
  if (line.link->maps || world_.has_waits()) {
    const Channel& channel = world_.channels()[id];
    RankState& sender = state(channel.sender);
    if (channel.of_sender && line.link->maps) sender.done_us = std::max(sender.done_us, now_);
    if (channel.of_sender && world_.has_waits()) {
      const Lane& lane = lane_of(channel.sender, channel.lane);
      note_steps(lane.begin + line.messages[line.first].sweep, steps);
      touch(channel.sender);
    }
  }
  if (world_.has_waits()) line.trace.add(now_);
  ++line.first;
  if (line.first < line.messages.size()) return;
  line.messages.clear();
  line.first = line.arrived = line.landing = 0;
}

void Simulation::record_work(int rank, std::uint32_t lane, std::uint32_t sweep, std::size_t bytes) {
  if (!options_.record) return;
  spans_.push_back({.kind = Span::Kind::kWork,
                    .rank = quotient_.rank_of(rank),
                    .lane = lane,
                    .sweep = sweep,
                    .begin_us = state(rank).begin_us,
                    .end_us = now_,
                    .bytes = bytes});
}

void Simulation::record_message(ChannelId id, const Message& message, double end_us) {
  const Channel& channel = world_.channels()[id];
  if (!options_.record || !channel.of_sender) return;
  spans_.push_back({.kind = Span::Kind::kMessage,
                    .rank = channel.from,
                    .peer = channel.to,
                    .lane = channel.lane,
                    .sweep = message.sweep,
                    .begin_us = message.begin_us,
                    .end_us = end_us,
                    .bytes = message.bytes});
}

std::vector<std::uint64_t> Simulation::traces(std::size_t exchanges) const {
  std::vector<std::uint64_t> traces(exchanges);
  for (ChannelId id = 0; id < lines_.size(); ++id) {
    TraceHash trace = lines_[id].trace;
    trace.add(std::uint64_t{world_.channels()[id].lane});
    traces[world_.exchange_of(id)] += trace.bits();  // lanes in any order
  }
  return traces;
}

Prediction Simulation::result() && {
  Prediction prediction;
  for (int i = 0; i < quotient_.representatives(); ++i) {
    const RankState& done = state(i);
    prediction.ranks.push_back(
        {quotient_.rank_of(i), quotient_.ranks_each(i), done.done_us, done.busy_us});
    prediction.us = std::max(prediction.us, done.done_us);
  }
  for (const Lane& lane : lanes_)
    prediction.steps = std::max<std::uint64_t>(prediction.steps, lane.steps);
  prediction.least_us = prediction.us;
  Wires::Uplinks uplinks(wires_);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const Channel& channel = world_.channels()[i];
    uplinks.add(channel, lines_[i].bytes);
    if (!channel.of_sender) continue;
    prediction.traffic.push_back({.from = channel.from,
                                  .to = channel.to,
                                  .messages = lines_[i].sent,
                                  .bytes = lines_[i].bytes,
                                  .alike = quotient_.ranks_each(channel.sender)});
  }
  prediction.hosts = std::move(uplinks.hosts);
  prediction.switches = std::move(uplinks.switches);
  prediction.spans = std::move(spans_);
  prediction.events = events_;
  return prediction;
}

}  // namespace rondo::simulate
