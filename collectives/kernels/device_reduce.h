#pragma once

// Reduce kernels in a device's stream: the same contract as reduce.h, on memory of the device, with
// the same bits, but for which NaN a sum or a product is on CUDA. Registered per kind of device.
// Threads: one at a time per stream.

#include <cstddef>
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

/// Whether that kernel takes so many sources and targets, whichever of them are the same memory:
/// it may refuse others.
bool device_always_reduces(DeviceKind device, DataType type, ReduceOp op, std::size_t sources,
                           std::size_t targets);

}  // namespace rondo::kernels
