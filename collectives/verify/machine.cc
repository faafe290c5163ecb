#include "collectives/verify/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/schedule/print.h"

namespace rondo::verify {

using schedule::BufferRole;
using schedule::Collective;
using schedule::FusedSchedule;
using schedule::Port;
using schedule::PortKind;
using schedule::Rank;
using schedule::Slice;
using schedule::Sweep;

namespace {

std::vector<std::uint32_t> first_lanes(std::span<const FusedSchedule> world) {
  std::vector<std::uint32_t> first{0};
  for (const FusedSchedule& schedule : world) {
    first.push_back(first.back() + static_cast<std::uint32_t>(schedule.lanes.size()));
  }
  return first;
}

std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }

}  // namespace

Machine::Machine(std::span<const FusedSchedule> world, const Model& model, ContributorSets* sets)
    : world_(world),
      model_(model),
      sets_(sets),
      first_lane_(first_lanes(world)),
      clocks_(first_lane_.back()),
      memory_(world, first_lane_, model.in_place) {
  const Collective collective = world[0].request.collective;
  reduces_ = collective == Collective::kAllReduce || collective == Collective::kReduceScatter;
  has_memory_ = collective != Collective::kBarrier;
  for (std::size_t rank = 0; rank < world.size(); ++rank) {
    const auto lane_count = static_cast<std::uint32_t>(world[rank].lanes.size());
    lanes_per_rank_ = std::max(lanes_per_rank_, lane_count);
    for (std::uint32_t lane = 0; lane < lane_count; ++lane) {
      const auto id = static_cast<std::uint32_t>(lanes_.size());
      for (std::uint32_t own = first_lane_[rank]; own < first_lane_[rank + 1]; ++own) {
        clocks_.advance(id, {own, kStartEvent});
      }
      lanes_.push_back({static_cast<Rank>(rank), lane, 0, false});
    }
  }
  fifos_.resize(world.size() * world.size() * lanes_per_rank_);
  initialise_inputs();
  find_wait_points();
}

void Machine::initialise_inputs() {
  complete_sums_.assign(world_[0].request.rows, 0);
  for (const FusedSchedule& own : world_) {
    const schedule::RowRange rows = input_rows(own.request);
    for (std::uint32_t row = rows.begin; row < rows.begin + rows.count; ++row) {
      Value value = contribution(own.request.rank, row);
      complete_sums_[row] = field_add(complete_sums_[row], value.sum);
      if (sets_ != nullptr) value.set = sets_->single(own.request.rank, row);
      memory_.initialise(memory_.cell(own.request.rank, {BufferRole::kInput, row}), value);
    }
  }
}

void Machine::find_wait_points() {
  for (const Lane& lane : lanes_) {
    for (const Sweep& sweep : sweeps_of(lane)) {
      if (!sweep.is_wait) continue;
      const std::uint64_t target = first_lane_[at(lane.rank)] + sweep.wait_lane;
      const std::uint64_t key = target << 32 | sweep.wait_sweep;
      const auto id = static_cast<std::uint32_t>(wait_points_.size());
      if (wait_point_ids_.emplace(key, id).second) wait_points_.emplace_back();
    }
  }
}

std::span<const Sweep> Machine::sweeps_of(const Lane& lane) const {
  return world_[at(lane.rank)].lanes[lane.lane];
}

std::span<const Port> Machine::sources_of(const Lane& lane, const Sweep& sweep) const {
  return std::span(world_[at(lane.rank)].ports).subspan(sweep.first_source, sweep.source_count);
}

std::span<const Port> Machine::targets_of(const Lane& lane, const Sweep& sweep) const {
  return std::span(world_[at(lane.rank)].ports).subspan(sweep.first_target, sweep.target_count);
}

Machine::Fifo& Machine::fifo(Rank from, Rank to, std::uint32_t lane) {
  return fifos_[(at(from) * world_.size() + at(to)) * lanes_per_rank_ + lane];
}

void Machine::wake(std::uint32_t lane) {
  if (lanes_[lane].queued) return;
  lanes_[lane].queued = true;
  ready_.push_back(lane);
}

void Machine::wake_peer(Rank rank, std::uint32_t lane) { wake(first_lane_[at(rank)] + lane); }

Status Machine::run() {
  for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) wake(lane);
  while (!ready_.empty()) {
    const std::uint32_t id = ready_.back();
    ready_.pop_back();
    Lane& lane = lanes_[id];
    lane.queued = false;
    const std::span<const Sweep> sweeps = sweeps_of(lane);
    while (lane.next < sweeps.size() && is_ready(lane, sweeps[lane.next])) {
      std::string why = execute(id, sweeps[lane.next]);
      if (!why.empty()) return error_at(id, std::move(why));
      ++lane.next;
      ++sweeps_;
      if (lanes_per_rank_ == 1) continue;
      for (std::uint32_t other = first_lane_[at(lane.rank)]; other < first_lane_[at(lane.rank) + 1];
           ++other) {
        if (other != id) wake(other);
      }
    }
  }
  const auto unfinished = [&](const Lane& lane) { return lane.next < sweeps_of(lane).size(); };
  deadlocked_ = std::any_of(lanes_.begin(), lanes_.end(), unfinished);
  return deadlocked_ ? deadlock() : leftovers();
}

bool Machine::is_ready(const Lane& lane, const Sweep& sweep) {
  if (sweep.is_wait) return wait_is_over(lane, sweep);
  for (const Port& port : sources_of(lane, sweep)) {
    if (port.kind != PortKind::kChannel) continue;
    if (fifo(port.peer, lane.rank, lane.lane).size() == 0) return false;
  }
  for (const Port& port : targets_of(lane, sweep)) {
    if (port.kind != PortKind::kChannel) continue;
    if (fifo(lane.rank, port.peer, lane.lane).size() >= model_.credits) return false;
  }
  return true;
}

Machine::WaitPoint* Machine::wait_point(std::uint32_t lane_id, std::size_t sweep,
                                        std::uint32_t& id) {
  if (wait_point_ids_.empty()) return nullptr;
  const auto found = wait_point_ids_.find(std::uint64_t{lane_id} << 32 | sweep);
  if (found == wait_point_ids_.end()) return nullptr;
  id = found->second;
  return &wait_points_[id];
}

bool Machine::wait_is_over(const Lane& lane, const Sweep& sweep) {
  std::uint32_t id = 0;
  const WaitPoint* point =
      wait_point(first_lane_[at(lane.rank)] + sweep.wait_lane, sweep.wait_sweep, id);
  return point->executed && point->pending_sends == 0;
}

std::string Machine::execute(std::uint32_t lane_id, const Sweep& sweep) {
  const Lane& lane = lanes_[lane_id];
  clocks_.advance(lane_id, sweep_event(lane_id, lane.next));
  std::uint32_t id = 0;
  if (sweep.is_wait) {
    const std::uint32_t target = first_lane_[at(lane.rank)] + sweep.wait_lane;
    clocks_.join(lane_id, wait_point(target, sweep.wait_sweep, id)->clock);
  }
  if (!sweep.is_wait) {
    Value value;
    std::string why = take_sources(lane_id, sweep, value);
    if (why.empty()) why = check_final(sweep, value);
    if (why.empty()) why = store_targets(lane_id, sweep, value);
    if (why.empty()) why = send(lane_id, sweep, value);
    if (!why.empty()) return why;
  }
  if (WaitPoint* point = wait_point(lane_id, lane.next, id)) {
    point->executed = true;
    point->clock = clocks_.take(lane_id, 1);
  }
  return {};
}

std::string Machine::take_sources(std::uint32_t lane_id, const Sweep& sweep, Value& value) {
  const Lane& lane = lanes_[lane_id];
  own_loans_.clear();
  takes_stored_ = false;
  bool first = true;
  for (const Port& port : sources_of(lane, sweep)) {
    Value source;
    if (port.kind == PortKind::kChannel) {
      std::string why = take_message(lane_id, sweep, port, source);
      if (!why.empty()) return why;
    } else if (has_memory_) {
      const CellId cell = memory_.cell(lane.rank, port.slice);
      std::string why = memory_.read(cell, sweep_event(lane_id, lane.next), clocks_);
      if (!why.empty()) return fmt::format("{}: {}", to_string(port.slice), why);
      source = memory_.value(cell);
    }
    const std::uint32_t set =
        sets_ == nullptr || first ? source.set : sets_->join(value.set, source.set);
    value = first ? source : combine(value, source);
    value.set = set;
    first = false;
  }
  value.divided = value.divided || sweep.final;
  return {};
}

std::string Machine::take_message(std::uint32_t lane_id, const Sweep& sweep, const Port& port,
                                  Value& value) {
  const Lane& lane = lanes_[lane_id];
  Fifo& queue = fifo(port.peer, lane.rank, lane.lane);
  const Message message = queue.messages[queue.head++];
  if (queue.head == queue.messages.size()) {
    queue.messages.clear();
    queue.head = 0;
  }
  wake_peer(port.peer, lane.lane);
  clocks_.join(lane_id, message.clock);
  clocks_.release(message.clock);
  if (message.row != sweep.row) {
    return fmt::format("takes the message of row {} from rank {} for row {}", message.row,
                       port.peer, sweep.row);
  }
  const Event event = sweep_event(lane_id, lane.next);
  value = message.value;
  if (message.loan != ~LoanId{0}) {
    value = memory_.value(memory_.lent_cell(message.loan));
    memory_.consume(message.loan, event);
    own_loans_.push_back(message.loan);
  }
  if (message.wait_point != 0) {
    WaitPoint& point = wait_points_[message.wait_point];
    --point.pending_sends;
    clocks_.extend(point.clock, lane_id);
    for (std::uint32_t other = first_lane_[at(port.peer)]; other < first_lane_[at(port.peer) + 1];
         ++other) {
      wake(other);
    }
  }
  if (!message.stored) return {};
  const auto targets = targets_of(lane, sweep);
  if (sweep.source_count != 1 || targets.size() != 1 || targets[0].kind != PortKind::kMemory ||
      targets[0].slice != message.slice) {
    return fmt::format(
        "rank {} stored the message straight into {}, which this sweep doesn't "
        "simply receive",
        port.peer, to_string(message.slice));
  }
  takes_stored_ = true;
  memory_.note_store(memory_.cell(lane.rank, message.slice), event);
  return {};
}

std::string Machine::check_final(const Sweep& sweep, const Value& value) const {
  if (!has_memory_) return {};
  if (!reduces_) {
    return sweep.final || sweep.source_count > 1 ? "reduces in a collective that only moves" : "";
  }
  const bool complete = value.sum == complete_sums_[sweep.row];
  const bool reduces = sweep.source_count > 1;
  if (sweep.final == (complete && reduces)) return {};
  return sweep.final ? fmt::format("is marked final, but its result is {}", holds(value))
                     : "completes a row, but is not marked final";
}

std::string Machine::store_targets(std::uint32_t lane_id, const Sweep& sweep, const Value& value) {
  if (!has_memory_ || takes_stored_) return {};
  const Lane& lane = lanes_[lane_id];
  const Event event = sweep_event(lane_id, lane.next);
  for (const Port& port : targets_of(lane, sweep)) {
    if (port.kind != PortKind::kMemory) continue;
    std::string why = memory_.write(memory_.cell(lane.rank, port.slice), value, event, clocks_);
    if (!why.empty()) return fmt::format("{}: {}", to_string(port.slice), why);
  }
  return {};
}

CellId Machine::backing(const Lane& lane, const Sweep& sweep) const {
  for (const Port& port : targets_of(lane, sweep)) {
    if (port.kind == PortKind::kMemory) return memory_.cell(lane.rank, port.slice);
  }
  return memory_.cell(lane.rank, sources_of(lane, sweep)[0].slice);
}

std::string Machine::send(std::uint32_t lane_id, const Sweep& sweep, const Value& value) {
  const Lane& lane = lanes_[lane_id];
  const auto targets = targets_of(lane, sweep);
  const auto is_channel = [](const Port& port) { return port.kind == PortKind::kChannel; };
  const auto count =
      static_cast<std::uint32_t>(std::count_if(targets.begin(), targets.end(), is_channel));
  if (count == 0) return {};
  Message message;
  message.value = value;
  message.row = sweep.row;
  message.clock = clocks_.take(lane_id, count);
  if (WaitPoint* point = wait_point(lane_id, lane.next, message.wait_point)) {
    point->pending_sends = model_.lent ? count : 0;
    if (!model_.lent) message.wait_point = 0;
  }
  for (const Port& port : targets) {
    if (!is_channel(port)) continue;
    message.stored = model_.lent && port.direct && has_memory_;
    message.slice = port.slice;
    message.loan = ~LoanId{0};
    if (message.stored) {
      std::string why =
          memory_.store_from_peer(memory_.cell(port.peer, port.slice), value,
                                  sweep_event(lane_id, lane.next), clocks_, own_loans_);
      if (!why.empty())
        return fmt::format("{} of rank {}: {}", to_string(port.slice), port.peer, why);
    } else if (model_.lent && has_memory_) {
      message.loan = memory_.lend(backing(lane, sweep));
    }
    fifo(lane.rank, port.peer, lane.lane).messages.push_back(message);
    ++messages_;
    wake_peer(port.peer, lane.lane);
  }
  return {};
}

const Value* Machine::find(Rank rank, Slice slice) const {
  const CellId cell = memory_.cell(rank, slice);
  return memory_.is_written(cell) ? &memory_.value(cell) : nullptr;
}

bool Machine::end_knows_start(Rank rank, Rank other) const {
  const Event start{first_lane_[at(other)], kStartEvent};
  for (std::uint32_t lane = first_lane_[at(rank)]; lane < first_lane_[at(rank) + 1]; ++lane) {
    if (clocks_.knows(lane, start)) return true;
  }
  return false;
}

std::string Machine::holds(const Value& value) const {
  return sets_ == nullptr ? "incomplete" : sets_->text(value.set);
}

Status Machine::error_at(std::uint32_t lane_id, std::string why) const {
  const Lane& lane = lanes_[lane_id];
  return Status(ErrorCode::kInvalidArgument, std::move(why), lane.rank,
                fmt::format("rank {}, {}", lane.rank,
                            describe_sweep(world_[at(lane.rank)], lane.lane, lane.next)));
}

Status Machine::deadlock() const {
  std::string text;
  int named = 0;
  Rank first = kNoCulprit;
  for (const Lane& lane : lanes_) {
    if (lane.next >= sweeps_of(lane).size()) continue;
    if (first == kNoCulprit) first = lane.rank;
    if (++named > 4) continue;
    text += fmt::format("{}rank {} at {}", named == 1 ? "" : "; ", lane.rank,
                        describe_sweep(world_[at(lane.rank)], lane.lane, lane.next));
  }
  const std::string more = named > 4 ? fmt::format("; and {} more lanes", named - 4) : "";
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("with {} message(s) per channel nothing can move any more: {}{}",
                            model_.credits, text, more),
                first);
}

Status Machine::leftovers() const {
  for (std::size_t index = 0; index < fifos_.size(); ++index) {
    if (fifos_[index].size() == 0) continue;
    const std::size_t lane = index % lanes_per_rank_;
    const std::size_t from = index / lanes_per_rank_ / world_.size();
    const std::size_t to = index / lanes_per_rank_ % world_.size();
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("rank {} never receives the last {} message(s) that rank {} sends it "
                              "on lane {}",
                              to, fifos_[index].size(), from, lane),
                  static_cast<int>(to));
  }
  return {};
}

}  // namespace rondo::verify
