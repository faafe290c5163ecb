#pragma once

// Page-locked memory of the host, which a device's kernels and streams see at the same address.

#include <cstddef>
#include <memory>

#include "core/device/cuda/context.h"
#include "core/status.h"

namespace rondo::device {

/// All 0 at first. Errors: Device.
Result<std::shared_ptr<void>> allocate_words(const std::shared_ptr<const CudaContext>& context,
                                             std::size_t bytes);

}  // namespace rondo::device
