#pragma once

// What stands in for a reduce kernel where a program combines elements by a function of its own.
// Threads: any, as far as the function allows.

#include "collectives/kernels/reduce.h"
#include "core/status.h"
#include "rondo/reduction.h"

namespace rondo::kernels {

struct CustomKernel {
  CustomReduce reduce{};
  DataType dtype = DataType::kF32;

  explicit operator bool() const { return reduce.function != nullptr; }
};

/// As a ReduceKernel: the sources are combined in the order given, each on the right of those
/// before it, and the result is stored to every target. Nothing is divided.
/// Errors: what the function throws, with its code if it is a rondo::Error, else Cancelled. The
/// targets' contents are undefined then.
Status reduce_by(const CustomKernel& kernel, const ReduceArguments& arguments);

}  // namespace rondo::kernels
