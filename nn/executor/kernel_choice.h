#pragma once

// Which kernel computes an op: the sources a KernelLibrary allows, best first.

#include <memory>

#include "nn/ops/kernels/kernel_registry.h"
#include "rondo/nn/executor.h"

namespace rondo::nn {

/// Every kernel of this library, made at the first use.
const KernelRegistry& builtin_kernels();

/// Unsupported where no source that `library` allows has the op for this device and type.
Result<std::unique_ptr<Kernel>> choose_kernel(const KernelRegistry& registry, KernelLibrary library,
                                              DeviceKind device, DataType dtype,
                                              const KernelSetup& setup);

}  // namespace rondo::nn
