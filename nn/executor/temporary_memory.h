#pragma once

// The memory of a compiled program's temporaries: which buffer each uses is fixed when the program
// is compiled, buffers only grow.

#include "nn/executor/memory_plan.h"
#include "nn/executor/var_slots.h"

namespace rondo::nn {

class TemporaryMemory {
 public:
  /// Gives every temporary its buffer.
  void plan(VarSlots& slots);
  /// Points every temporary to memory that is large enough for its type in this run.
  void bind(VarSlots& slots);
  /// How often a buffer has been allocated, or again with a larger size.
  std::uint64_t allocations() const { return allocations_; }

 private:
  std::vector<Tensor> buffers_;  // bytes
  std::uint64_t allocations_ = 0;
};

}  // namespace rondo::nn
