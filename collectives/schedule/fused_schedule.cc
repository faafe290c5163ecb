#include "collectives/schedule/fused_schedule.h"

#include <algorithm>
#include <utility>

namespace rondo::schedule {
namespace {

Port memory(Slice slice) { return {PortKind::kMemory, false, -1, slice}; }
Port channel(Rank peer) { return {PortKind::kChannel, false, peer, {}}; }

void add_sources(const Op& op, std::vector<Port>& ports) {
  if (op.kind != OpKind::kRecv) ports.push_back(memory(op.source));
  if (op.kind == OpKind::kReduce) ports.push_back(memory(op.other));
  const bool receives = op.kind == OpKind::kRecv || op.kind == OpKind::kRecvReduce;
  if (receives) ports.push_back(channel(op.peer));
}

void add_target(const Op& op, std::vector<Port>& ports) {
  ports.push_back(op.kind == OpKind::kSend ? channel(op.peer) : memory(op.target));
}

Sweep lower_op(const RankSchedule& schedule, const Op& op, std::vector<Port>& ports) {
  Sweep sweep;
  if (op.kind == OpKind::kWait) {
    sweep.is_wait = true;
    sweep.wait_lane = op.wait.lane;
    sweep.wait_sweep = op.wait.op;
    return sweep;
  }
  sweep.first_source = static_cast<std::uint32_t>(ports.size());
  add_sources(op, ports);
  sweep.first_target = static_cast<std::uint32_t>(ports.size());
  sweep.source_count = sweep.first_target - sweep.first_source;
  add_target(op, ports);
  sweep.target_count = 1;
  sweep.row = row_of(schedule, op.kind == OpKind::kSend ? op.source : op.target);
  sweep.final = op.final;
  return sweep;
}

}  // namespace

std::span<const Port> sources_of(const FusedSchedule& schedule, const Sweep& sweep) {
  return std::span(schedule.ports).subspan(sweep.first_source, sweep.source_count);
}

std::span<const Port> targets_of(const FusedSchedule& schedule, const Sweep& sweep) {
  return std::span(schedule.ports).subspan(sweep.first_target, sweep.target_count);
}

Slice backing_of(const FusedSchedule& schedule, const Sweep& sweep) {
  for (const Port& port : targets_of(schedule, sweep)) {
    if (!port.is_channel()) return port.slice;
  }
  return sources_of(schedule, sweep)[0].slice;
}

Rank source_rank(const FusedSchedule& schedule, const Port& source) {
  return source.is_channel() ? source.peer : schedule.request.rank;
}

bool are_by_rank(const FusedSchedule& schedule, std::span<const Port> sources) {
  const auto unordered = [&](const Port& a, const Port& b) {
    return source_rank(schedule, a) >= source_rank(schedule, b);
  };
  return std::ranges::adjacent_find(sources, unordered) == sources.end();
}

FusedSchedule lower(const RankSchedule& schedule) {
  FusedSchedule lowered;
  lowered.lowered = true;
  lowered.request = schedule.request;
  lowered.scratch_rows = schedule.scratch_rows;
  for (const std::vector<Op>& ops : schedule.lanes) {
    std::vector<Sweep>& lane = lowered.lanes.emplace_back();
    lane.reserve(ops.size());
    lowered.ports.reserve(lowered.ports.size() + 3 * ops.size());  // an op's most
    for (const Op& op : ops) lane.push_back(lower_op(schedule, op, lowered.ports));
  }
  return lowered;
}

}  // namespace rondo::schedule
