// What becomes of messages between the end of the work that sent them and their receiver's.

#include <algorithm>

#include "collectives/simulate/simulation.h"

namespace rondo::simulate {

void Simulation::send_message(ChannelId channel, const Message& message) {
  Line& line = lines_[channel];
  line.messages.push_back(message);
  ++line.sent;
  line.bytes += message.bytes;
  ++events_;
  if (!line.busy) start_wire(channel);
}

/// The next message that waits for the wire goes out, if there is one. One that nothing limits has
/// passed at once.
void Simulation::start_wire(ChannelId id) {
  Line& line = lines_[id];
  const Channel& channel = world_.channels()[id];
  const Link& link = wires_.link(quotient_.rank_of(channel.sender), channel.to);
  while (line.landing < line.messages.size()) {
    const std::size_t bytes = line.messages[line.landing].bytes;
    if ((line.path.empty() && link.bytes_per_us == kUnlimited) || bytes == 0) {
      land(id);
      continue;
    }
    const ActivityId activity =
        fluid_.start(static_cast<double>(bytes), link.bytes_per_us, line.path);
    if (activity >= owners_.size()) owners_.resize(activity + 1);
    owners_[activity] = {.is_message = true, .index = id};
    line.busy = true;
    return;
  }
}

/// A message has passed the wire.
void Simulation::land(ChannelId id) {
  Line& line = lines_[id];
  const Channel& channel = world_.channels()[id];
  const Message& message = line.messages[line.landing++];
  const Link& link = wires_.link(quotient_.rank_of(channel.sender), channel.to);
  line.last_arrival_us =
      std::max(line.last_arrival_us, on_grid(now_ + link.cost_of(message.bytes).latency_us));
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

void Simulation::read_message(ChannelId id) {
  Line& line = lines_[id];
  const Channel& channel = world_.channels()[id];
  const Link& link = wires_.link(quotient_.rank_of(channel.sender), channel.to);
  // The memory that it was read from is the sender's to write again.
  RankState& sender = state(channel.sender);
  if (link.maps) sender.done_us = std::max(sender.done_us, now_);
  touch(channel.sender);  // it may have waited for that
  ++line.first;
  ++line.read;
  if (line.first < line.messages.size()) return;
  line.messages.clear();
  line.first = line.arrived = line.landing = 0;
}

void Simulation::record_work(int rank, std::uint32_t lane, std::size_t bytes) {
  if (!options_.record) return;
  const RankState& state = this->state(rank);
  spans_.push_back({.kind = Span::Kind::kWork,
                    .rank = quotient_.rank_of(rank),
                    .lane = lane,
                    .sweep = state.lanes[lane].sweep,
                    .begin_us = state.begin_us,
                    .end_us = now_,
                    .bytes = bytes});
}

void Simulation::record_message(ChannelId id, const Message& message, double end_us) {
  if (!options_.record) return;
  const Channel& channel = world_.channels()[id];
  spans_.push_back({.kind = Span::Kind::kMessage,
                    .rank = quotient_.rank_of(channel.sender),
                    .peer = channel.to,
                    .lane = channel.lane,
                    .sweep = message.sweep,
                    .begin_us = message.begin_us,
                    .end_us = end_us,
                    .bytes = message.bytes});
}

Prediction Simulation::result() && {
  Prediction prediction;
  prediction.ranks_each = quotient_.ranks_each();
  for (int i = 0; i < quotient_.representatives(); ++i) {
    const RankState& done = state(i);
    prediction.ranks.push_back(
        {.rank = quotient_.rank_of(i), .done_us = done.done_us, .busy_us = done.busy_us});
    prediction.us = std::max(prediction.us, done.done_us);
  }
  prediction.hosts.resize(wires_.host_kinds());
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const Channel& channel = world_.channels()[i];
    const schedule::Rank from = quotient_.rank_of(channel.sender);
    const auto bytes = static_cast<double>(lines_[i].bytes);
    prediction.traffic.push_back(
        {.from = from, .to = channel.to, .messages = lines_[i].sent, .bytes = lines_[i].bytes});
    if (wires_.share_host(from, channel.to)) continue;
    const std::size_t up = wires_.host_kind(from);
    const std::size_t down = wires_.host_kind(channel.to);
    prediction.hosts[up].up_bytes += bytes * wires_.turns_each(up);
    prediction.hosts[down].down_bytes += bytes * wires_.turns_each(down);
  }
  prediction.spans = std::move(spans_);
  prediction.events = events_;
  return prediction;
}

}  // namespace rondo::simulate
