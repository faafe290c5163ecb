#pragma once

// NCCL as the library of CUDA devices. CMake chooses the file behind this: nccl_stub.cc where the
// build has no nccl.h.

#include <memory>

#include "core/device/collective_library.h"
#include "core/device/cuda/driver.h"
#include "core/status.h"

namespace rondo::device {

/// Null where there is none, or RONDO_NCCL is "off". The driver is borrowed.
/// Errors: Unsupported: RONDO_NCCL names one that is of no use.
Result<std::unique_ptr<CollectiveLibrary>> open_nccl(CudaDriver& driver);

}  // namespace rondo::device
