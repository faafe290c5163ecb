#pragma once

// The driver's codes as errors of ours.

#include <string_view>

#include "core/device/cuda/table.h"
#include "core/status.h"
#include "rondo/device.h"

namespace rondo::device {

/// Errors: Device, with the function, the driver's name and text for the code, and what can be
/// done about those that users meet.
Status cuda_status(const CudaTable& table, std::string_view function, CUresult code);
/// The same, naming the device.
Status cuda_status(const CudaTable& table, Device device, std::string_view function, CUresult code);

}  // namespace rondo::device
