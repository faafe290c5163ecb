#pragma once

// NVIDIA devices. CMake chooses the files behind this: cuda_stub.cc where the build has no CUDA.

#include "core/device/driver.h"

namespace rondo::device {

Result<DeviceDriver*> cuda_driver();

/// Whether the driver's library is loaded in this process, by whomever. Costs some 25 ns while no
/// library has been loaded since it was asked last, and next to nothing once it is. Threads: any.
bool cuda_is_loaded();
/// Whether `pointer` is memory of a CUDA device that the host can't touch, by whomever it was
/// allocated. The driver isn't started for it: memory there is, is that of one that runs.
/// Threads: any.
bool cuda_hides(const void* pointer);

}  // namespace rondo::device
