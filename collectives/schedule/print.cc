#include "collectives/schedule/print.h"

#include <fmt/format.h>

#include <span>

namespace rondo::schedule {
namespace {

std::string action(const RankSchedule& schedule, const Op& op) {
  const std::string final = op.final ? " (final)" : "";
  switch (op.kind) {
    case OpKind::kSend:
      return fmt::format("send -> rank {}, row {}", op.peer, row_of(schedule, op.source));
    case OpKind::kRecv:
      return fmt::format("recv <- rank {}, row {}", op.peer, row_of(schedule, op.target));
    case OpKind::kRecvReduce:
      return fmt::format("recv_reduce <- rank {}, row {}{}", op.peer, row_of(schedule, op.target),
                         final);
    case OpKind::kCopy:
      return fmt::format("copy {} -> {}", to_string(op.source), to_string(op.target));
    case OpKind::kReduce:
      return fmt::format("reduce {}, {} -> {}{}", to_string(op.source), to_string(op.other),
                         to_string(op.target), final);
    case OpKind::kWait:
      return fmt::format("wait for op {} of lane {}", op.wait.op + 1, op.wait.lane);
  }
  return "unknown op";
}

std::string list(std::span<const Port> ports) {
  std::string text;
  for (const Port& port : ports) {
    if (!text.empty()) text += ", ";
    text += !port.is_channel() ? to_string(port.slice) : fmt::format("rank {}", port.peer);
    if (port.direct) text += " (direct)";
  }
  return text;
}

bool is_channel(const Port& port) { return port.is_channel(); }

/// The name of the op that this sweep is, or null where it is fused from several.
const char* op_name(std::span<const Port> sources, std::span<const Port> targets) {
  if (targets.size() != 1 || sources.empty() || sources.size() > 2) return nullptr;
  if (is_channel(targets[0])) {
    return sources.size() == 1 && !is_channel(sources[0]) ? "send ->" : nullptr;
  }
  if (!is_channel(sources.back())) return nullptr;
  if (sources.size() == 1) return "recv <-";
  return is_channel(sources[0]) ? nullptr : "recv_reduce <-";
}

std::string action(const FusedSchedule& schedule, const Sweep& sweep) {
  if (sweep.is_wait) {
    return fmt::format("wait for {} {} of lane {}", word_for_sweep(schedule), sweep.wait_sweep + 1,
                       sweep.wait_lane);
  }
  const std::span<const Port> ports(schedule.ports);
  const auto sources = ports.subspan(sweep.first_source, sweep.source_count);
  const auto targets = ports.subspan(sweep.first_target, sweep.target_count);
  const char* final = sweep.final ? " (final)" : "";
  if (const char* name = op_name(sources, targets)) {
    const Port& peer = is_channel(targets[0]) ? targets[0] : sources.back();
    return fmt::format("{} rank {}{}, row {}{}", name, peer.peer, peer.direct ? " (direct)" : "",
                       sweep.row, final);
  }
  return fmt::format("{{{}}} -> {{{}}}, row {}{}", list(sources), list(targets), sweep.row, final);
}

std::string heading(const Request& request) {
  return fmt::format("{} of {} rows, rank {} of {}\n", to_string(request.collective), request.rows,
                     request.rank, request.world);
}

}  // namespace

std::string to_string(Slice slice) {
  static constexpr const char* kNames[] = {"input", "output", "scratch"};
  return fmt::format("{} {}", kNames[static_cast<int>(slice.buffer)], slice.chunk);
}

const char* word_for_sweep(const FusedSchedule& schedule) {
  return schedule.lowered ? "op" : "sweep";
}

std::string describe_op(const RankSchedule& schedule, std::size_t lane, std::size_t index) {
  const std::vector<Op>& ops = schedule.lanes[lane];
  return fmt::format("op {}/{} {} [lane {}]", index + 1, ops.size(), action(schedule, ops[index]),
                     lane);
}

std::string describe_sweep(const FusedSchedule& schedule, std::size_t lane, std::size_t index) {
  const std::vector<Sweep>& sweeps = schedule.lanes[lane];
  return fmt::format("{} {}/{} {} [lane {}]", word_for_sweep(schedule), index + 1, sweeps.size(),
                     action(schedule, sweeps[index]), lane);
}

std::string describe(const RankSchedule& schedule) {
  std::string text = heading(schedule.request);
  for (std::size_t lane = 0; lane < schedule.lanes.size(); ++lane) {
    for (std::size_t index = 0; index < schedule.lanes[lane].size(); ++index) {
      text += "  " + describe_op(schedule, lane, index) + "\n";
    }
  }
  return text;
}

std::string describe(const FusedSchedule& schedule) {
  std::string text = heading(schedule.request);
  for (std::size_t lane = 0; lane < schedule.lanes.size(); ++lane) {
    for (std::size_t index = 0; index < schedule.lanes[lane].size(); ++index) {
      text += "  " + describe_sweep(schedule, lane, index) + "\n";
    }
  }
  return text;
}

}  // namespace rondo::schedule
