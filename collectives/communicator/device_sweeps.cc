#include "collectives/communicator/device_sweeps.h"

#include <algorithm>

#include "collectives/kernels/device_reduce.h"
#include "collectives/schedule/op.h"

namespace rondo::communicator {
namespace {

using schedule::FusedSchedule;
using schedule::Sweep;

bool is_combined(DeviceKind device, const CallArguments& arguments, const FusedSchedule& schedule,
                 const Sweep& sweep, bool one_host) {
  const auto stored = std::ranges::count_if(targets_of(schedule, sweep), [&](const auto& port) {
    return !port.is_channel() || (port.direct && one_host);
  });
  return kernels::device_always_reduces(device, arguments.input.dtype, arguments.reduction.op(),
                                        sweep.source_count, static_cast<std::size_t>(stored));
}

}  // namespace

bool may_be_refused(DeviceKind device, const CallArguments& arguments, int world) {
  // No sweep combines more than one value of each rank.
  return schedule::reduces(arguments.collective) &&
         !kernels::device_always_reduces(device, arguments.input.dtype, arguments.reduction.op(),
                                         static_cast<std::size_t>(world), 1);
}

bool are_combined(DeviceKind device, const CallArguments& arguments,
                  const schedule::FoldedWorld& world, bool one_host) {
  return std::ranges::all_of(world.bases, [&](const FusedSchedule& schedule) {
    return std::ranges::all_of(schedule.lanes, [&](const std::vector<Sweep>& lane) {
      return std::ranges::all_of(lane, [&](const Sweep& sweep) {
        return is_combined(device, arguments, schedule, sweep, one_host);
      });
    });
  });
}

}  // namespace rondo::communicator
