#include "collectives/verify/machine.h"

#include <algorithm>
#include <utility>

namespace rondo::verify {

using schedule::BufferRole;
using schedule::Collective;
using schedule::FusedSchedule;
using schedule::Port;
using schedule::Rank;
using schedule::Sweep;

Machine::Machine(std::span<const FusedSchedule> bases, const schedule::Rotation& rotation,
                 const Model& model, Lineage* lineage)
    : model_(model),
      lineage_(lineage),
      rotation_(rotation),
      has_memory_(bases[0].request.collective != Collective::kBarrier),
      reduces_(schedule::reduces(bases[0].request.collective)),
      lane_table_(bases, rotation),
      tracks_order_(!has_memory_ ||
                    (!model.values_only && (model.lent || !lane_table_.has_one_lane_per_rank()))),
      lanes_(lane_table_.size()),
      fifos_(lane_table_.channels().size()),
      clocks_(model.values_only && has_memory_ ? 0 : lane_table_.size(), rotation.order()),
      wait_points_(lane_table_, !model.waits_teach_least),
      memory_(bases, lane_table_, model.in_place),
      bases_(bases) {
  for (LaneId lane = 0; lane < lane_table_.size(); ++lane) {
    const Rank rank = lane_table_.rank(lane);
    for (LaneId own = lane_table_.first_of(rank); own < lane_table_.end_of(rank); ++own) {
      clocks_.advance(lane, {lane_table_.in_world(own, 0), kStartEvent});
    }
  }
  initialise_inputs();
}

void Machine::initialise_inputs() {
  complete_sums_.assign(bases_[0].request.rows, 0);
  for (const FusedSchedule& own : bases_) {
    const schedule::RowRange rows = input_rows(own.request);
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      const std::uint32_t row = rows.row(i);
      Value value = contribution(rotation_, own.request.rank, row);
      add_to_complete(row, value);
      if (lineage_ != nullptr) value.lineage = lineage_->input(own.request.rank, row);
      memory_.initialise(memory_.cell(own.request.rank, {BufferRole::kInput, row}), value);
    }
  }
}

/// What a base has in the turns of a row, its turns have in the row.
void Machine::add_to_complete(std::uint32_t row, const Value& input) {
  std::uint64_t& complete = complete_sums_[rotation_.base_row(row)];
  complete = field_add(complete, input.sum);
  if (rotation_.turns_rows()) return;
  for (int turn = 1; turn < rotation_.order(); ++turn) {
    complete = field_add(complete, turned(input, rotation_, row, turn).sum);
  }
}

void Machine::wake(LaneId lane) {
  if (lanes_[lane].queued) return;
  lanes_[lane].queued = true;
  ready_.push_back(lane);
}

void Machine::wake_rank(Rank rank) {
  const Rank base = rotation_.base(rank);
  for (LaneId lane = lane_table_.first_of(base); lane < lane_table_.end_of(base); ++lane) {
    wake(lane);
  }
}

Event Machine::seen_by(Rank peer, LaneId lane, Event event) const {
  return {lane_table_.in_world(lane, -rotation_.turn(peer)), event.number};
}

Status Machine::run() {
  for (;; credits_ = std::min(2 * credits_, model_.credits)) {
    RONDO_TRY(run_until_stuck());
    if (is_over()) return leftovers();
    if (credits_ >= model_.credits || !waits_for_room()) return deadlock();
  }
}

/// More credits are of use to no other lane.
bool Machine::waits_for_room() const {
  for (LaneId lane = 0; lane < lane_table_.size(); ++lane) {
    const std::span<const Sweep> sweeps = lane_table_.sweeps(lane);
    if (lanes_[lane].next == sweeps.size() || sweeps[lanes_[lane].next].is_wait) continue;
    for (const Port& port : lane_table_.targets(lane, sweeps[lanes_[lane].next])) {
      if (!port.is_channel()) continue;
      if (fifos_.size(lane_table_.channel_to(lane, port.peer)) >= credits_) return true;
    }
  }
  return false;
}

Status Machine::run_until_stuck() {
  for (LaneId lane = 0; lane < lane_table_.size(); ++lane) wake(lane);
  while (!ready_.empty()) {
    const LaneId lane = ready_.back();
    ready_.pop_back();
    lanes_[lane].queued = false;
    while (is_ready(lane)) {
      std::string why = execute(lane);
      if (why.empty() && clocks_.are_too_many()) why = too_many_messages();
      if (!why.empty()) return error_at(lane, std::move(why));
      ++lanes_[lane].next;
      ++sweeps_;
      if (!lane_table_.has_one_lane_per_rank()) wake_rank(lane_table_.rank(lane));
    }
  }
  return {};
}

bool Machine::is_over() const {
  for (LaneId lane = 0; lane < lane_table_.size(); ++lane) {
    if (lanes_[lane].next < lane_table_.sweeps(lane).size()) return false;
  }
  return true;
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
    if (fifos_.size(lane_table_.channel_from(lane, port.peer)) == 0) return false;
  }
  for (const Port& port : lane_table_.targets(lane, sweep)) {
    if (!port.is_channel()) continue;
    if (fifos_.size(lane_table_.channel_to(lane, port.peer)) >= credits_) return false;
  }
  return true;
}

std::string Machine::execute(LaneId lane) {
  const Sweep& sweep = lane_table_.sweeps(lane)[lanes_[lane].next];
  const Event event = sweep_event(lane_table_.in_world(lane, 0), lanes_[lane].next);
  clocks_.advance(lane, event);
  if (sweep.is_wait) {
    const LaneId target = lane_table_.first_of(lane_table_.rank(lane)) + sweep.wait_lane;
    const WaitPoints::Id waited = wait_points_.find(target, sweep.wait_sweep);
    wait_points_.join(waited, lane, clocks_);
    for (const LoanId loan : wait_points_.loans(waited)) memory_.await(loan, event);
  } else {
    borrowed_.clear();
    Running running{
        .lane = lane, .sweep = sweep, .event = event, .value = {}, .borrowed = borrowed_};
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

}  // namespace rondo::verify
