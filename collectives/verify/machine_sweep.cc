// What a sweep does: takes its sources, combines them, stores and sends the result.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "collectives/schedule/print.h"
#include "collectives/verify/machine.h"

namespace rondo::verify {

using schedule::FusedSchedule;
using schedule::Port;
using schedule::Slice;
using schedule::Sweep;

std::string Machine::take_sources(Running& running) {
  const FusedSchedule& own = lane_table_.schedule(running.lane);
  const bool by_rank = running.sweep.by_rank;
  SumByRank sum_by_rank(rotation_, own.request.rank, running.sweep.row);
  Value& value = running.value;
  bool first = true;
  origins_.clear();
  for (const Port& port : lane_table_.sources(running.lane, running.sweep)) {
    Value source;
    std::string why = take_source(running, port, source);
    if (!why.empty()) return why;
    if (by_rank) sum_by_rank.add(source, source_rank(own, port));
    if (lineage_ != nullptr) origins_.push_back(source.lineage);
    value = first ? source : combine(value, source);
    first = false;
  }
  const bool reduces = running.sweep.source_count > 1;
  // As it is written, it is in the ranks' order in one of the turns at most.
  if (reduces && order() > 1) value.last = Value::kNone;
  if (by_rank) value = sum_by_rank.sum();
  value.divided = value.divided || running.sweep.final;
  if (reduces) ++value.sweeps;
  if (lineage_ != nullptr && has_memory_) {
    value.lineage = lineage_->made({running.lane, lanes_[running.lane].next}, own.request.rank,
                                   running.sweep.row, origins_);
  }
  return {};
}

std::string Machine::take_source(Running& running, const Port& port, Value& source) {
  if (port.is_channel()) return take_message(running, port, source);
  if (!has_memory_) return {};
  const CellId cell = memory_.cell(lane_table_.rank(running.lane), port.slice);
  if (!model_.values_only || !memory_.is_written(cell)) {
    const Conflict found = memory_.read(cell, running.event, clocks_);
    if (!found.empty()) return fmt::format("{}: {}", to_string(port.slice), in_words(found));
  }
  memory_.note_read(cell, port.slice.buffer);
  source = memory_.value(cell);
  if (!is_lost_input(running, port, cell)) return {};
  return fmt::format(
      "{}: reads the input of a rank in place behind what was stored there, where a "
      "rank out of place still reads its input",
      to_string(port.slice));
}

/// Each rank may be in place or not, whatever others are. What differs so may cancel out where all
/// are alike, but not where only some are.
bool Machine::is_lost_input(const Running& running, const Port& port, CellId cell) const {
  if (!reduces_ || !model_.in_place || port.slice.buffer != schedule::BufferRole::kInput ||
      !memory_.is_written_as_output(cell))
    return false;
  const Value input = contribution(rotation_, lane_table_.rank(running.lane), running.sweep.row);
  const Value& found = memory_.value(cell);
  return found.divided || found.sum != input.sum || found.tree != input.tree;
}

std::string Machine::take_message(Running& running, const Port& port, Value& value) {
  const LaneId lane = running.lane;
  const Message message = fifos_.pop(lane_table_.channel_from(lane, port.peer));
  const int turn = rotation_.turn(port.peer);
  wake_rank(port.peer);
  if (tracks_order_) {
    clocks_.join(lane, message.clock, turn);
    clocks_.release(message.clock);
  }
  const std::uint32_t row = rotation_.turned_row(message.row, turn);
  if (row != running.sweep.row) {
    return fmt::format(
        "takes the message of row {} from rank {} for row {}{}", row, port.peer, running.sweep.row,
        sent_by(lane_table_.first_of(rotation_.base(port.peer)) + lane_table_.lane(lane), message));
  }
  value = message.value;
  if (message.loan != kNoLoan) {
    value = memory_.value(memory_.lent_cell(message.loan));
    memory_.consume(message.loan, seen_by(port.peer, lane, running.event));
    running.borrowed.push_back({port.peer, message.loan});
  }
  value = turned(value, rotation_, row, turn);
  if (message.wait_point != 0) wait_points_.consume(message.wait_point, lane, -turn, clocks_);
  if (!message.stored) return {};
  return take_note_of_store(running, port, rotation_.turned(message.slice, turn));
}

std::string Machine::take_note_of_store(Running& running, const Port& port, Slice stored) {
  const auto targets = lane_table_.targets(running.lane, running.sweep);
  if (running.sweep.source_count != 1 || targets.size() != 1 || targets[0].is_channel() ||
      targets[0].slice != stored) {
    return fmt::format(
        "rank {} stored the message straight into {}, which this sweep doesn't "
        "simply receive",
        port.peer, to_string(stored));
  }
  running.takes_stored = true;
  memory_.note_store(memory_.cell(lane_table_.rank(running.lane), stored), running.event);
  return {};
}

std::string Machine::check_final(const Running& running) {
  const Sweep& sweep = running.sweep;
  const bool reduces = sweep.source_count > 1;
  if (!reduces_) {
    return sweep.final || reduces ? "reduces in a collective that only moves" : "";
  }
  if (reduces && running.value.unknown) return "adds to a sum that only the whole world knows";
  const bool complete = running.value.sum == complete_sums_[rotation_.base_row(sweep.row)];
  if (sweep.final == (complete && reduces)) return {};
  if (!sweep.final) return "completes a row, but is not marked final";
  if (lineage_ == nullptr) return "is marked final, but its result is incomplete";
  std::vector<schedule::Rank> all(static_cast<std::size_t>(bases_[0].request.world));
  std::iota(all.begin(), all.end(), 0);
  blame_ = blame(running.value, all);
  return fmt::format("is marked final, but its result is {}; the right one is row {} of all ranks",
                     lineage_->text(running.value.lineage), sweep.row);
}

std::string Machine::store_targets(const Running& running) {
  if (!has_memory_ || running.takes_stored) return {};
  for (const Port& port : lane_table_.targets(running.lane, running.sweep)) {
    if (port.is_channel()) continue;
    const CellId cell = memory_.cell(lane_table_.rank(running.lane), port.slice);
    memory_.note_write(cell, port.slice.buffer);
    if (model_.values_only) {
      memory_.initialise(cell, running.value);
      continue;
    }
    const Conflict found = memory_.write(cell, running.value, running.event, clocks_);
    if (!found.empty()) return fmt::format("{}: {}", to_string(port.slice), in_words(found));
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
  message.sweep = static_cast<std::uint32_t>(lanes_[lane].next);
  if (tracks_order_) message.clock = clocks_.take(lane, count);
  // A copied message needs no consumer to be out of the sender's way.
  message.wait_point = model_.lent ? wait_points_.find(lane, lanes_[lane].next) : 0;
  if (message.wait_point != 0) wait_points_.add_sends(message.wait_point, count);
  for (const Port& port : targets) {
    if (!port.is_channel()) continue;
    std::string why = fill_message(running, port, message);
    if (!why.empty()) return why;
    fifos_.push(lane_table_.channel_to(lane, port.peer), message);
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
    message.loan = memory_.lend(memory_.cell(lane_table_.rank(lane), backing), running.event);
  }
  if (model_.waits_teach_least && message.wait_point != 0 && message.loan != kNoLoan)
    wait_points_.add_loan(message.wait_point, message.loan);
  if (!stores) return {};
  message.stored = true;
  message.slice = port.slice;
  return store_into_peer(running, port);
}

std::string Machine::store_into_peer(const Running& running, const Port& port) {
  const Slice slice = rotation_.turned(port.slice, -rotation_.turn(port.peer));
  own_loans_.clear();
  // Loans of other turns of the peer have the same numbers, and are not its.
  for (const Borrowed& borrowed : running.borrowed) {
    if (borrowed.sender == port.peer) own_loans_.push_back(borrowed.loan);
  }
  const CellId cell = memory_.cell(rotation_.base(port.peer), slice);
  memory_.note_write(cell, slice.buffer);
  const Conflict found = memory_.store_from_peer(
      cell, turned(running.value, rotation_, running.sweep.row, -rotation_.turn(port.peer)),
      seen_by(port.peer, running.lane, running.event), clocks_, own_loans_);
  if (found.empty()) return {};
  return fmt::format("{} of rank {}: {}", to_string(port.slice), port.peer, in_words(found));
}

}  // namespace rondo::verify
