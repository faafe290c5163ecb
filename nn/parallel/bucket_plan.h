#pragma once

// Which gradients are summed over the ranks together, and when: in the order in which backward
// finishes them, so that a bucket can go on its way as early as possible. Pure, and the same on
// every rank that has the same program.

#include <string>
#include <vector>

#include "rondo/nn/program.h"

namespace rondo::nn {

/// A gradient's place in its bucket.
struct BucketEntry {
  std::string grad;
  Dims dims;
  std::size_t first = 0;  ///< element of the bucket
};

struct BucketPlan {
  DataType dtype = DataType::kF32;
  std::size_t count = 0;  ///< elements, with the gaps that keep entries aligned
  std::vector<BucketEntry> entries;
  std::size_t ready_after = 0;  ///< the op of the block that finishes the last gradient
};

/// Buckets in the order of `ready_after`. A gradient larger than `bucket_bytes` is alone in one.
std::vector<BucketPlan> plan_buckets(const Block& block, std::size_t bucket_bytes);

}  // namespace rondo::nn
