#pragma once

// Reduce kernels in a device's stream: the same contract as reduce.h, on memory of the device, with
// the same bits. Registered per kind of device.
// Threads: one at a time per stream.

#include <functional>

#include "collectives/kernels/reduce.h"
#include "core/device/stream.h"
#include "core/status.h"
#include "rondo/types.h"

namespace rondo::kernels {

/// Puts one reduction into a stream; what `arguments` points to is copied, but for the elements.
/// Errors: those of the stream. What goes wrong later is the stream's error.
using DeviceReduceKernel =
    std::function<Status(detail::StreamImpl& stream, const ReduceArguments& arguments)>;

/// Errors: Unsupported, naming type, op and device, and what there is.
Result<DeviceReduceKernel> find_device_reduce_kernel(DeviceKind device, DataType type, ReduceOp op);

}  // namespace rondo::kernels
