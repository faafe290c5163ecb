#include "collectives/schedule/fused_schedule.h"

#include <utility>

namespace rondo::schedule {
namespace {

Port memory(Slice slice) { return {PortKind::kMemory, false, -1, slice}; }
Port channel(Rank peer) { return {PortKind::kChannel, false, peer, {}}; }

struct Ports {
  std::vector<Port> sources;
  std::vector<Port> targets;
};

Ports ports_of(const Op& op) {
  switch (op.kind) {
    case OpKind::kSend: return {{memory(op.source)}, {channel(op.peer)}};
    case OpKind::kRecv: return {{channel(op.peer)}, {memory(op.target)}};
    case OpKind::kRecvReduce: return {{memory(op.source), channel(op.peer)}, {memory(op.target)}};
    case OpKind::kCopy: return {{memory(op.source)}, {memory(op.target)}};
    case OpKind::kReduce: return {{memory(op.source), memory(op.other)}, {memory(op.target)}};
    case OpKind::kWait: break;
  }
  return {};
}

Sweep lower_op(const RankSchedule& schedule, const Op& op, std::vector<Port>& ports) {
  Sweep sweep;
  if (op.kind == OpKind::kWait) {
    sweep.is_wait = true;
    sweep.wait_lane = op.wait.lane;
    sweep.wait_sweep = op.wait.op;
    return sweep;
  }
  const Ports own = ports_of(op);
  sweep.first_source = static_cast<std::uint32_t>(ports.size());
  sweep.source_count = static_cast<std::uint32_t>(own.sources.size());
  ports.insert(ports.end(), own.sources.begin(), own.sources.end());
  sweep.first_target = static_cast<std::uint32_t>(ports.size());
  sweep.target_count = static_cast<std::uint32_t>(own.targets.size());
  ports.insert(ports.end(), own.targets.begin(), own.targets.end());
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

FusedSchedule lower(const RankSchedule& schedule) {
  FusedSchedule lowered;
  lowered.request = schedule.request;
  lowered.scratch_rows = schedule.scratch_rows;
  for (const std::vector<Op>& ops : schedule.lanes) {
    std::vector<Sweep>& lane = lowered.lanes.emplace_back();
    lane.reserve(ops.size());
    for (const Op& op : ops) {
      lane.push_back(lower_op(schedule, op, lowered.ports));
      lane.back().first_op = static_cast<std::uint32_t>(lane.size() - 1);
    }
  }
  return lowered;
}

}  // namespace rondo::schedule
