#pragma once

// The CUDA driver's library, opened at run time.
// Threads: any.

#include <string>

#include "core/device/cuda/table.h"
#include "core/status.h"

namespace rondo::device {

/// RONDO_CUDA_DRIVER, or the name under which drivers install theirs.
std::string cuda_library_path();

/// Opens it for good. Errors: Unsupported: there is none, a function is missing, or the driver is
/// older than the kernels of this build need. What it says names the remedy.
Result<CudaTable> load_cuda_table(const std::string& path);

/// Whether the driver of `table` runs what this build was compiled for. Errors: Unsupported.
Status check_cuda_version(const CudaTable& table);

}  // namespace rondo::device
