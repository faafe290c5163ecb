#pragma once

// All kernels that a device has for collectives, ready before the first call.

#include "core/status.h"
#include "rondo/device.h"

namespace rondo::kernels {

/// Of calls that hosts drive, or also the kernels of whole calls.
enum class DeviceKernels { kReduce, kAll };

/// Where a kernel has to be loaded for its first launch (CUDA loads it when it is first asked for),
/// the device may wait meanwhile until all its streams are done. What they have been given may wait
/// in turn: for a kernel of another rank, or for the very call that wants the kernel. So whoever
/// joins a world has them loaded then; again costs next to nothing.
/// Source: CUDA programming guide, "Lazy Loading", potential hazards.
/// Errors: Device. Threads: any.
Status load_device_kernels(Device device, DeviceKernels which);

}  // namespace rondo::kernels
