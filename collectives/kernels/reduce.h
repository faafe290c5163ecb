#pragma once

// Reduce kernels, registered per (device kind, element type, op): every source is read once, the
// sources are combined in the order given ((s0 (+) s1) (+) s2 ...), the result is stored to every
// target. A target may be one of the sources (same address); otherwise they don't overlap.
// Threads: any. Nothing is allocated.

#include <cstddef>
#include <span>

#include "core/status.h"
#include "rondo/types.h"

namespace rondo::kernels {

struct ReduceArguments {
  std::span<const void* const> sources;  ///< at least 1
  std::span<void* const> targets;        ///< at least 1
  std::size_t count = 0;                 ///< elements
  /// The combined value is divided by this before it is stored (kAvg in its final sweep); 1: not.
  int divisor = 1;
};

using ReduceKernel = void (*)(const ReduceArguments&);

/// Errors: Unsupported, naming type and op.
Result<ReduceKernel> find_reduce_kernel(DeviceKind device, DataType type, ReduceOp op);

/// The instruction set that host kernels were dispatched to, for `rondo info`: "AVX3", "AVX2", ...
const char* host_kernel_target();

}  // namespace rondo::kernels
