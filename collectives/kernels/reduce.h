#pragma once

// Reduce kernels, registered per (device kind, element type, op): every source is read once, the
// sources are combined in the order given ((s0 (+) s1) (+) s2 ...), the result is stored to every
// target. A target may be one of the sources (same address); otherwise they don't overlap.
//
// The same bits come out on every instruction set and wherever an element lies in the buffer:
// integers wrap; min and max of floats are IEEE 754-2019 minimum and maximum (-0 is less than +0, a
// NaN in any source gives the default quiet NaN), so they depend on no order. A sum or a product
// that is a NaN is that one, too. A single source is copied as it is.
//
// f16 and bf16 are combined, and divided, as f32 and rounded once where the result is stored, to
// nearest, ties to even. So their bits tell which ops were joined to one sweep: ranks that compute
// the same value must fuse their schedules alike.
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
  /// kAvg divides the sum by this before it is stored, integers towards zero; 1: not (all sweeps
  /// but the final one). Other ops don't read it.
  int divisor = 1;
};

using ReduceKernel = void (*)(const ReduceArguments&);

/// Errors: Unsupported, naming type and op and what there is.
Result<ReduceKernel> find_reduce_kernel(DeviceKind device, DataType type, ReduceOp op);

}  // namespace rondo::kernels
