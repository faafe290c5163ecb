#pragma once

// NCCL's functions as a CollectiveLibrary.

#include <memory>

#include "core/device/collective_library.h"
#include "core/device/cuda/driver.h"
#include "core/device/cuda/nccl/table.h"
#include "core/status.h"

namespace rondo::device {

/// The driver is borrowed. Errors: as nccl_version.
Result<std::unique_ptr<CollectiveLibrary>> adapt_nccl(CudaDriver& driver, const NcclTable& table);

}  // namespace rondo::device
