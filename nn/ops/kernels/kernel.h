#pragma once

// How an op is computed. A kernel object belongs to one op of one compiled program, so it may keep
// what it prepared for a shape. Shapes have been checked by the op's type inference before.
// Threads: one at a time.

#include <cstdint>
#include <vector>

#include "core/status.h"
#include "rondo/nn/program.h"
#include "rondo/nn/tensor.h"

namespace rondo::nn {

/// What kernels count for the executor's statistics.
struct KernelCounters {
  std::uint64_t primitives_created = 0;
};

/// What a kernel is made from; valid as long as the kernel.
struct KernelSetup {
  const Op* op;
  std::uint64_t program_seed;
  KernelCounters* counters;
};

/// The op's tensors, one list for each slot of its definition. Null: an output nobody wants.
struct KernelArgs {
  std::vector<std::vector<Tensor*>> inputs;
  std::vector<std::vector<Tensor*>> outputs;

  const Tensor& in(std::size_t slot, std::size_t i = 0) const { return *inputs[slot][i]; }
  Tensor* out(std::size_t slot, std::size_t i = 0) const {
    return i < outputs[slot].size() ? outputs[slot][i] : nullptr;
  }
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual Status run(const KernelArgs& args) = 0;
};

}  // namespace rondo::nn
