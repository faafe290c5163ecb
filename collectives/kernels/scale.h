#pragma once

// Scale kernels: target[i] = source[i] * factor, what a rank does to its input before a
// premultiplied sum. The factor is rounded to the type that elements are combined in (f64: double;
// the others: f32), and each product to the element, to nearest even; the same bits on every
// instruction set. What a NaN becomes is left open.
// Threads: any. Nothing is allocated.

#include <cstddef>

#include "rondo/types.h"

namespace rondo::kernels {

/// The target is the source, or they don't overlap.
using ScaleKernel = void (*)(const void* source, void* target, std::size_t count, double factor);

/// The host's; null for integers, which have none.
ScaleKernel find_scale_kernel(DataType type);

}  // namespace rondo::kernels
