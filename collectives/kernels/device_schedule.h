#pragma once

// Kernels that carry out a whole collective (cuda/schedule_kernel.h), per kind of device.
// Threads: any.

#include <functional>

#include "collectives/kernels/cuda/schedule_program.h"
#include "core/device/stream.h"
#include "core/status.h"
#include "rondo/types.h"

namespace rondo::kernels {

/// Puts one call into a stream. The ranks' kernels have to run at once: all of a device's together
/// launch no more than `resident_blocks`. Errors: those of the stream.
using DeviceScheduleKernel =
    std::function<Status(detail::StreamImpl& stream, const cuda::ScheduleCall& call)>;

/// Errors: Unsupported, naming the device; what is combined by functions has none.
Result<DeviceScheduleKernel> find_device_schedule_kernel(DeviceKind device, DataType type,
                                                         ReduceOp op);

/// Blocks of schedule kernels that a device holds at once. Errors: Device, Unsupported.
Result<unsigned int> resident_blocks(const detail::StreamImpl& stream);

}  // namespace rondo::kernels
