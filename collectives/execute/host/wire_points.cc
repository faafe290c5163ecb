#include "collectives/execute/host/wire_points.h"

#include <algorithm>
#include <vector>

namespace rondo::execute {
namespace {

using schedule::BufferRole;
using schedule::Collective;
using schedule::FusedSchedule;
using schedule::Port;
using schedule::Slice;
using schedule::Sweep;

bool is_input(const Port& port) {
  return !port.is_channel() && port.slice.buffer == BufferRole::kInput;
}

bool only_sends(const FusedSchedule& fused, const Sweep& sweep) {
  return sweep.source_count == 1 && !sources_of(fused, sweep)[0].is_channel() &&
         std::ranges::all_of(targets_of(fused, sweep), &Port::is_channel);
}

bool is_read(const FusedSchedule& fused, Slice slice) {
  const auto is_source = [&](const Port& port) {
    return !port.is_channel() && port.slice == slice;
  };
  const auto reads = [&](const Sweep& sweep) {
    return !sweep.is_wait && std::ranges::any_of(sources_of(fused, sweep), is_source);
  };
  return std::ranges::any_of(fused.lanes,
                             [&](const auto& lane) { return std::ranges::any_of(lane, reads); });
}

}  // namespace

bool rounds_result(const FusedSchedule& fused, const Sweep& sweep) {
  if (sweep.is_wait || only_sends(fused, sweep)) return false;
  if (sweep.source_count == 1) return is_input(sources_of(fused, sweep)[0]);
  return !(sweep.final && fused.request.collective == Collective::kReduceScatter);
}

bool rounds_as_sent(const FusedSchedule& fused, const Sweep& sweep) {
  if (!rounds_result(fused, sweep) || sweep.source_count < 2) return false;
  const auto targets = targets_of(fused, sweep);
  const bool sends_once = std::ranges::count_if(targets, &Port::is_channel) == 1;
  return sends_once && targets.size() <= 2 && !is_read(fused, backing_of(fused, sweep));
}

bool sends_input(const FusedSchedule& fused, const Sweep& sweep) {
  return !sweep.is_wait && only_sends(fused, sweep) && is_input(sources_of(fused, sweep)[0]);
}

bool reads_input_once(const FusedSchedule& fused) {
  std::vector<int> uses(fused.request.rows, 0);
  std::vector<bool> passed_on(fused.request.rows, false);
  for (const auto& lane : fused.lanes) {
    for (const Sweep& sweep : lane) {
      if (sweep.is_wait) continue;
      for (const Port& port : sources_of(fused, sweep)) {
        if (!is_input(port)) continue;
        uses[port.slice.chunk] +=
            sends_input(fused, sweep) ? static_cast<int>(sweep.target_count) : 1;
        if (sweep.source_count == 1) passed_on[port.slice.chunk] = true;
      }
    }
  }
  for (std::size_t row = 0; row < uses.size(); ++row) {
    if (passed_on[row] && uses[row] > 1) return false;
  }
  return true;
}

}  // namespace rondo::execute
