#pragma once

// The memory of one place's buckets, and their sums over the ranks. Backward writes gradients
// straight into it (`tensors` are pinned in the compiled program), updates read them from it, and
// the ranks of a host exchange it in place.
// Threads: the place's.

#include <map>
#include <span>
#include <vector>

#include "nn/parallel/bucket_plan.h"
#include "rondo/communicator.h"

namespace rondo::nn {

class GradientBuckets {
 public:
  explicit GradientBuckets(std::vector<BucketPlan> plans);

  /// The gradients as tensors in the buckets' memory, by name.
  std::map<std::string, Tensor> tensors() const;
  std::vector<std::size_t> sizes() const;

  /// To be called before the first op of a run.
  void start() { next_ = 0; }
  /// Sums the buckets that op number `op` has made complete. Throws what the communicator throws.
  void after_op(std::size_t op, Communicator& communicator);

 private:
  std::vector<BucketPlan> plans_;
  std::vector<RegisteredMemory> memory_;
  std::size_t next_ = 0;  // the first bucket that isn't summed yet
};

}  // namespace rondo::nn
