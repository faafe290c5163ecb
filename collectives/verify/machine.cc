#include "collectives/verify/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/schedule/print.h"

namespace rondo::verify {

using schedule::BufferRole;
using schedule::Collective;
using schedule::FusedSchedule;
using schedule::Port;
using schedule::Rank;
using schedule::Slice;
using schedule::Sweep;

Machine::Message Machine::Fifo::pop() {
  const Message message = messages[head++];
  if (head == messages.size()) {
    messages.clear();
    head = 0;
  }
  return message;
}

Machine::Machine(std::span<const FusedSchedule> world, const Model& model, ContributorSets* sets)
    : model_(model),
      sets_(sets),
      lane_table_(world),
      lanes_(lane_table_.size()),
      fifos_(lane_table_.channels()),
      clocks_(lane_table_.size()),
      wait_points_(lane_table_),
      memory_(world, lane_table_, model.in_place),
      world_(world) {
  const Collective collective = world[0].request.collective;
  reduces_ = schedule::reduces(collective);
  has_memory_ = collective != Collective::kBarrier;
  tracks_order_ =
      !has_memory_ || (!model.values_only && (model.lent || !lane_table_.has_one_lane_per_rank()));
  for (LaneId lane = 0; lane < lane_table_.size(); ++lane) {
    const Rank rank = lane_table_.rank(lane);
    for (LaneId own = lane_table_.first_of(rank); own < lane_table_.end_of(rank); ++own) {
      clocks_.advance(lane, {own, kStartEvent});
    }
  }
  initialise_inputs();
}

void Machine::initialise_inputs() {
  complete_sums_.assign(world_[0].request.rows, 0);
  for (const FusedSchedule& own : world_) {
    const schedule::RowRange rows = input_rows(own.request);
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      const std::uint32_t row = rows.row(i);
      Value value = contribution(own.request.rank, row);
      complete_sums_[row] = field_add(complete_sums_[row], value.sum);
      if (sets_ != nullptr) value.set = sets_->single(own.request.rank, row);
      memory_.initialise(memory_.cell(own.request.rank, {BufferRole::kInput, row}), value);
    }
  }
}

void Machine::wake(LaneId lane) {
  if (lanes_[lane].queued) return;
  lanes_[lane].queued = true;
  ready_.push_back(lane);
}

void Machine::wake_rank(Rank rank) {
  for (LaneId lane = lane_table_.first_of(rank); lane < lane_table_.end_of(rank); ++lane) {
    wake(lane);
  }
}

Status Machine::run() {
  for (LaneId lane = 0; lane < lane_table_.size(); ++lane) wake(lane);
  while (!ready_.empty()) {
    const LaneId lane = ready_.back();
    ready_.pop_back();
    lanes_[lane].queued = false;
    while (is_ready(lane)) {
      std::string why = execute(lane);
      if (!why.empty()) return error_at(lane, std::move(why));
      ++lanes_[lane].next;
      ++sweeps_;
      if (!lane_table_.has_one_lane_per_rank()) wake_rank(lane_table_.rank(lane));
    }
  }
  for (LaneId lane = 0; lane < lane_table_.size() && !deadlocked_; ++lane) {
    deadlocked_ = lanes_[lane].next < lane_table_.sweeps(lane).size();
  }
  return deadlocked_ ? deadlock() : leftovers();
}

bool Machine::is_ready(LaneId lane) const {
  const std::span<const Sweep> sweeps = lane_table_.sweeps(lane);
  if (lanes_[lane].next == sweeps.size()) return false;
  const Sweep& sweep = sweeps[lanes_[lane].next];
  if (sweep.is_wait) {
    const LaneId target = lane_table_.first_of(lane_table_.rank(lane)) + sweep.wait_lane;
    return wait_points_.is_over(wait_points_.find(target, sweep.wait_sweep));
  }
  for (const Port& port : lane_table_.sources(lane, sweep)) {
    if (!port.is_channel()) continue;
    if (fifos_[lane_table_.channel_from(lane, port.peer)].size() == 0) return false;
  }
  for (const Port& port : lane_table_.targets(lane, sweep)) {
    if (!port.is_channel()) continue;
    if (fifos_[lane_table_.channel_to(lane, port.peer)].size() >= model_.credits) return false;
  }
  return true;
}

std::string Machine::execute(LaneId lane) {
  const Sweep& sweep = lane_table_.sweeps(lane)[lanes_[lane].next];
  const Event event = sweep_event(lane, lanes_[lane].next);
  clocks_.advance(lane, event);
  if (sweep.is_wait) {
    const LaneId target = lane_table_.first_of(lane_table_.rank(lane)) + sweep.wait_lane;
    wait_points_.join(wait_points_.find(target, sweep.wait_sweep), lane, clocks_);
  } else {
    loans_.clear();
    Running running{.lane = lane, .sweep = sweep, .event = event, .value = {}, .loans = loans_};
    std::string why = take_sources(running);
    if (why.empty()) why = check_final(running);
    if (why.empty()) why = store_targets(running);
    if (why.empty()) why = send(running);
    if (!why.empty()) return why;
  }
  const WaitPoints::Id point = wait_points_.find(lane, lanes_[lane].next);
  if (point != 0) wait_points_.execute(point, lane, clocks_);
  return {};
}

std::string Machine::take_sources(Running& running) {
  Value& value = running.value;
  bool first = true;
  for (const Port& port : lane_table_.sources(running.lane, running.sweep)) {
    Value source;
    if (port.is_channel()) {
      std::string why = take_message(running, port, source);
      if (!why.empty()) return why;
    } else if (has_memory_) {
      const CellId cell = memory_.cell(lane_table_.rank(running.lane), port.slice);
      if (!model_.values_only || !memory_.is_written(cell)) {
        const std::string why = memory_.read(cell, running.event, clocks_);
        if (!why.empty()) return fmt::format("{}: {}", to_string(port.slice), why);
      }
      source = memory_.value(cell);
    }
    const bool joins = sets_ != nullptr && !first;
    const std::uint32_t set = joins ? sets_->join(value.set, source.set) : source.set;
    value = first ? source : combine(value, source);
    value.set = set;
    first = false;
  }
  value.divided = value.divided || running.sweep.final;
  if (running.sweep.source_count > 1) ++value.sweeps;
  return {};
}

std::string Machine::take_message(Running& running, const Port& port, Value& value) {
  const LaneId lane = running.lane;
  const Message message = fifos_[lane_table_.channel_from(lane, port.peer)].pop();
  wake_rank(port.peer);
  if (tracks_order_) {
    clocks_.join(lane, message.clock);
    clocks_.release(message.clock);
  }
  if (message.row != running.sweep.row) {
    return fmt::format("takes the message of row {} from rank {} for row {}", message.row,
                       port.peer, running.sweep.row);
  }
  value = message.value;
  if (message.loan != kNoLoan) {
    value = memory_.value(memory_.lent_cell(message.loan));
    memory_.consume(message.loan, running.event);
    running.loans.push_back(message.loan);
  }
  if (message.wait_point != 0) wait_points_.consume(message.wait_point, lane, clocks_);
  if (!message.stored) return {};
  const auto targets = lane_table_.targets(lane, running.sweep);
  if (running.sweep.source_count != 1 || targets.size() != 1 || targets[0].is_channel() ||
      targets[0].slice != message.slice) {
    return fmt::format(
        "rank {} stored the message straight into {}, which this sweep doesn't "
        "simply receive",
        port.peer, to_string(message.slice));
  }
  running.takes_stored = true;
  memory_.note_store(memory_.cell(lane_table_.rank(lane), message.slice), running.event);
  return {};
}

std::string Machine::check_final(const Running& running) const {
  const Sweep& sweep = running.sweep;
  const bool reduces = sweep.source_count > 1;
  if (!reduces_) {
    return sweep.final || reduces ? "reduces in a collective that only moves" : "";
  }
  const bool complete = running.value.sum == complete_sums_[sweep.row];
  if (sweep.final == (complete && reduces)) return {};
  if (!sweep.final) return "completes a row, but is not marked final";
  return fmt::format("is marked final, but its result is {}",
                     sets_ == nullptr ? "incomplete" : sets_->text(running.value.set));
}

std::string Machine::store_targets(const Running& running) {
  if (!has_memory_ || running.takes_stored) return {};
  for (const Port& port : lane_table_.targets(running.lane, running.sweep)) {
    if (port.is_channel()) continue;
    const CellId cell = memory_.cell(lane_table_.rank(running.lane), port.slice);
    if (model_.values_only) {
      memory_.initialise(cell, running.value);
      continue;
    }
    const std::string why = memory_.write(cell, running.value, running.event, clocks_);
    if (!why.empty()) return fmt::format("{}: {}", to_string(port.slice), why);
  }
  return {};
}

std::string Machine::send(const Running& running) {
  const LaneId lane = running.lane;
  const auto targets = lane_table_.targets(lane, running.sweep);
  const auto count = static_cast<std::uint32_t>(std::count_if(
      targets.begin(), targets.end(), [](const Port& port) { return port.is_channel(); }));
  if (count == 0) return {};
  Message message;
  message.value = running.value;
  message.row = running.sweep.row;
  if (tracks_order_) message.clock = clocks_.take(lane, count);
  // A copied message needs no consumer to be out of the sender's way.
  message.wait_point = model_.lent ? wait_points_.find(lane, lanes_[lane].next) : 0;
  if (message.wait_point != 0) wait_points_.add_sends(message.wait_point, count);
  for (const Port& port : targets) {
    if (!port.is_channel()) continue;
    std::string why = fill_message(running, port, message);
    if (!why.empty()) return why;
    fifos_[lane_table_.channel_to(lane, port.peer)].messages.push_back(message);
    ++messages_;
    wake_rank(port.peer);
  }
  return {};
}

std::string Machine::fill_message(const Running& running, const Port& port, Message& message) {
  message.loan = kNoLoan;
  message.stored = false;
  if (!model_.lent || !has_memory_) return {};
  const LaneId lane = running.lane;
  const bool stores = port.direct && model_.stores;
  if (!stores || model_.lends_all) {
    const Slice backing = backing_of(lane_table_.schedule(lane), running.sweep);
    message.loan = memory_.lend(memory_.cell(lane_table_.rank(lane), backing));
  }
  if (!stores) return {};
  message.stored = true;
  message.slice = port.slice;
  const std::string why = memory_.store_from_peer(
      memory_.cell(port.peer, port.slice), running.value, running.event, clocks_, running.loans);
  if (why.empty()) return {};
  return fmt::format("{} of rank {}: {}", to_string(port.slice), port.peer, why);
}

Outcome Machine::outcome() const {
  const auto find = [this](Rank rank, Slice slice) {
    const CellId cell = memory_.cell(rank, slice);
    return memory_.is_written(cell) ? &memory_.value(cell) : nullptr;
  };
  const auto end_knows_start = [this](Rank rank, Rank other) {
    const Event start{lane_table_.first_of(other), kStartEvent};
    bool knows = false;
    for (LaneId lane = lane_table_.first_of(rank); lane < lane_table_.end_of(rank); ++lane) {
      knows = knows || clocks_.knows(lane, start);
    }
    return knows;
  };
  return {find, end_knows_start};
}

Status Machine::error_at(LaneId lane, std::string why) const {
  const Rank rank = lane_table_.rank(lane);
  return Status(ErrorCode::kInvalidArgument, std::move(why), rank,
                fmt::format("rank {}, {}", rank,
                            describe_sweep(lane_table_.schedule(lane), lane_table_.lane(lane),
                                           lanes_[lane].next)));
}

Status Machine::deadlock() const {
  constexpr int kMostNamed = 4;
  std::string text;
  int stuck = 0;
  Rank first = kNoCulprit;
  for (LaneId lane = 0; lane < lane_table_.size(); ++lane) {
    if (lanes_[lane].next == lane_table_.sweeps(lane).size()) continue;
    if (first == kNoCulprit) first = lane_table_.rank(lane);
    if (++stuck > kMostNamed) continue;
    text += fmt::format(
        "{}rank {} at {}", stuck == 1 ? "" : "; ", lane_table_.rank(lane),
        describe_sweep(lane_table_.schedule(lane), lane_table_.lane(lane), lanes_[lane].next));
  }
  if (stuck > kMostNamed) text += fmt::format("; and {} more lanes", stuck - kMostNamed);
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("with {} message(s) per channel nothing can move any more: {}",
                            model_.credits, text),
                first);
}

Status Machine::leftovers() const {
  for (std::size_t index = 0; index < fifos_.size(); ++index) {
    if (fifos_[index].size() == 0) continue;
    const LaneTable::Channel channel = lane_table_.channel(index);
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("rank {} never receives the last {} message(s) that rank {} sends it "
                              "on lane {}",
                              channel.to, fifos_[index].size(), channel.from, channel.lane),
                  channel.to);
  }
  return {};
}

}  // namespace rondo::verify
