#pragma once

// Whether a device's reduce kernels take what an algorithm's schedules want them to combine at
// once: some refuse the sweeps of very large worlds (kernels/cuda/reduce_launches.h). A function of
// what all ranks hold equal.

#include "collectives/communicator/call_arguments.h"
#include "collectives/schedule/rotation.h"
#include "rondo/device.h"

namespace rondo::communicator {

/// Whether a call in a world of so many ranks may have a sweep that they refuse.
bool may_be_refused(DeviceKind device, const CallArguments& arguments, int world);

/// Whether they take all sweeps of all ranks. `one_host`: peers' memory is stored into.
bool are_combined(DeviceKind device, const CallArguments& arguments,
                  const schedule::FoldedWorld& world, bool one_host);

}  // namespace rondo::communicator
