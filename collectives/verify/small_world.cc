#include "collectives/verify/small_world.h"

#include <algorithm>

#include "collectives/verify/postcondition.h"

namespace rondo::verify {

using schedule::BufferRole;
using schedule::FusedSchedule;
using schedule::Port;
using schedule::Rank;
using schedule::Slice;
using schedule::Sweep;

namespace {

std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }

/// What memory holds that nothing was stored to, and what a twice divided value becomes: no sum of
/// inputs equals it.
Value garbage() { return contribution(-1, 0); }

}  // namespace

SmallWorld::SmallWorld(std::span<const FusedSchedule> world, const Model& model, Order order)
    : world_(world),
      model_(model),
      order_(order),
      none_(schedule::Rotation::none(static_cast<int>(world.size()))),
      lanes_(world, none_),
      layout_(world, lanes_, model.in_place) {
  has_memory_ = world[0].request.collective != schedule::Collective::kBarrier;
  start_.next.resize(lanes_.size());
  start_.cells.assign(layout_.size(), garbage());
  start_.fill.resize(lanes_.channels().size());
  start_.slots.resize(start_.fill.size() * model.credits);
  for (const FusedSchedule& own : world) {
    start_.known.push_back(std::uint64_t{1} << own.request.rank);
    const schedule::RowRange rows = input_rows(own.request);
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      const std::uint32_t row = rows.row(i);
      start_.cells[layout_.cell(own.request.rank, {BufferRole::kInput, row})] =
          contribution(own.request.rank, row);
    }
  }
}

SmallWorld::Accesses SmallWorld::accesses(const State& state, LaneId lane) const {
  Accesses touched;
  const Sweep& sweep = lanes_.sweeps(lane)[state.next[lane]];
  if (sweep.is_wait || !has_memory_) return touched;
  for (const Port& port : lanes_.sources(lane, sweep)) {
    if (!port.is_channel()) {
      touched.reads.push_back(cell(lane, port.slice));
      continue;
    }
    const Message& message = messages(state, lanes_.channel_from(lane, port.peer)).front();
    if (message.lent != kNoCell) touched.reads.push_back(message.lent);
  }
  for (const Port& port : lanes_.targets(lane, sweep)) {
    if (!port.is_channel()) {
      touched.writes.push_back(cell(lane, port.slice));
    } else if (model_.lent && model_.stores && port.direct) {
      touched.writes.push_back(layout_.cell(port.peer, port.slice));
    }
  }
  return touched;
}

bool SmallWorld::is_ready(const State& state, LaneId lane) const {
  if (state.next[lane] >= lanes_.sweeps(lane).size()) return false;
  const Sweep& sweep = lanes_.sweeps(lane)[state.next[lane]];
  if (sweep.is_wait) return wait_is_over(state, lane, sweep);
  for (const Port& port : lanes_.sources(lane, sweep)) {
    if (!port.is_channel()) continue;
    if (state.fill[lanes_.channel_from(lane, port.peer)] == 0) return false;
  }
  for (const Port& port : lanes_.targets(lane, sweep)) {
    if (!port.is_channel()) continue;
    if (state.fill[lanes_.channel_to(lane, port.peer)] == model_.credits) return false;
  }
  return true;
}

bool SmallWorld::wait_is_over(const State& state, LaneId lane, const Sweep& sweep) const {
  const LaneId target = lanes_.first_of(lanes_.rank(lane)) + sweep.wait_lane;
  if (state.next[target] <= sweep.wait_sweep) return false;
  if (!model_.lent) return true;
  for (std::size_t channel = 0; channel < state.fill.size(); ++channel) {
    for (const Message& message : messages(state, channel)) {
      if (message.lane == target && message.sweep == sweep.wait_sweep) return false;
    }
  }
  return true;
}

std::span<const SmallWorld::Message> SmallWorld::messages(const State& state,
                                                          std::size_t channel) const {
  return std::span(state.slots).subspan(channel * model_.credits, state.fill[channel]);
}

SmallWorld::Message SmallWorld::pop(State& state, std::size_t channel) const {
  const auto oldest = state.slots.begin() + static_cast<std::ptrdiff_t>(channel * model_.credits);
  const Message message = *oldest;
  std::copy(oldest + 1, oldest + state.fill[channel], oldest);
  --state.fill[channel];
  return message;
}

bool SmallWorld::step(State& state, LaneId lane) const {
  const Sweep& sweep = lanes_.sweeps(lane)[state.next[lane]];
  if (!sweep.is_wait) {
    Value value;
    bool stored = false;
    if (!take(state, lane, sweep, value, stored)) return false;
    if (sweep.final) {
      if (value.divided) value = garbage();
      value.divided = true;
    }
    if (!stored) put(state, lane, sweep, value);
  }
  ++state.next[lane];
  return true;
}

bool SmallWorld::take(State& state, LaneId lane, const Sweep& sweep, Value& value,
                      bool& stored) const {
  bool first = true;
  for (const Port& port : lanes_.sources(lane, sweep)) {
    Value source;
    if (port.is_channel()) {
      const Message message = pop(state, lanes_.channel_from(lane, port.peer));
      if (message.row != sweep.row) return false;
      state.known[at(lanes_.rank(lane))] |= message.known;
      source = message.lent == kNoCell ? message.value : state.cells[message.lent];
      if (message.stored != kNoCell) {
        if (!simply_receives(lane, sweep, message.stored)) return false;
        stored = true;
      }
    } else if (has_memory_) {
      source = state.cells[cell(lane, port.slice)];
    }
    const bool divided_before = !first && (value.divided || source.divided);
    value = first ? source : combine(value, source);
    if (divided_before) value = garbage();
    first = false;
  }
  if (sweep.source_count > 1) ++value.sweeps;
  return true;
}

bool SmallWorld::simply_receives(LaneId lane, const Sweep& sweep, CellId id) const {
  const auto targets = lanes_.targets(lane, sweep);
  return sweep.source_count == 1 && targets.size() == 1 && !targets[0].is_channel() &&
         cell(lane, targets[0].slice) == id;
}

void SmallWorld::put(State& state, LaneId lane, const Sweep& sweep, const Value& value) const {
  if (has_memory_) {
    for (const Port& port : lanes_.targets(lane, sweep)) {
      if (!port.is_channel()) state.cells[cell(lane, port.slice)] = value;
    }
  }
  for (const Port& port : lanes_.targets(lane, sweep)) {
    if (!port.is_channel()) continue;
    Message message{.value = value,
                    .row = sweep.row,
                    .lane = lane,
                    .sweep = state.next[lane],
                    .known = state.known[at(lanes_.rank(lane))]};
    if (model_.lent && has_memory_ && model_.stores && port.direct) {
      message.stored = layout_.cell(port.peer, port.slice);
      state.cells[message.stored] = value;
    } else if (model_.lent && has_memory_) {
      message.lent = cell(lane, backing_of(lanes_.schedule(lane), sweep));
    }
    const std::size_t channel = lanes_.channel_to(lane, port.peer);
    state.slots[channel * model_.credits + state.fill[channel]++] = message;
  }
}

bool SmallWorld::ends_well(const State& state) const {
  for (LaneId lane = 0; lane < lanes_.size(); ++lane) {
    if (state.next[lane] < lanes_.sweeps(lane).size()) return false;
  }
  const auto is_filled = [](std::uint32_t fill) { return fill != 0; };
  if (std::any_of(state.fill.begin(), state.fill.end(), is_filled)) return false;
  const Outcome outcome{
      [&](Rank rank, Slice slice) { return &state.cells[layout_.cell(rank, slice)]; },
      [&](Rank rank, Rank other) { return (state.known[at(rank)] >> other & 1) != 0; }};
  return check_postcondition(world_, none_, outcome).ok() &&
         check_order(world_, outcome, order_).ok();
}

std::uint64_t SmallWorld::hash(const State& state) const {
  std::uint64_t hash = 0;
  const auto add = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15 + 1;
    hash ^= hash >> 29;
  };
  const auto add_value = [&](const Value& value) {
    add(value.sum);
    add(value.tree + (value.divided ? 1 : 0));
    add(std::uint64_t{static_cast<std::uint32_t>(value.first)} << 32 |
        static_cast<std::uint32_t>(value.last));
    add(value.sweeps);
  };
  for (const std::uint32_t next : state.next) add(next);
  for (const std::uint64_t known : state.known) add(known);
  for (const Value& value : state.cells) add_value(value);
  for (std::size_t channel = 0; channel < state.fill.size(); ++channel) {
    if (state.fill[channel] == 0) continue;
    add(channel << 32 | state.fill[channel]);
    for (const Message& message : messages(state, channel)) {
      add_value(message.value);
      add(std::uint64_t{message.lane} << 32 | message.sweep);
      add(message.known);
    }
  }
  return hash;
}

}  // namespace rondo::verify
