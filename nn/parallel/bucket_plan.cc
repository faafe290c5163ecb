#include "nn/parallel/bucket_plan.h"

#include <algorithm>
#include <map>

namespace rondo::nn {
namespace {

// Every gradient starts at a multiple of this: a cache line of f32.
constexpr std::size_t kAlignmentCount = 16;

std::size_t aligned(std::size_t count) {
  return (count + kAlignmentCount - 1) / kAlignmentCount * kAlignmentCount;
}

void add_gradient(const VarDesc& grad, std::size_t op, BucketPlan& bucket) {
  bucket.dtype = grad.dtype;
  bucket.entries.push_back({grad.name, grad.dims, bucket.count});
  bucket.count += aligned(static_cast<std::size_t>(count_of(grad.dims)));
  bucket.ready_after = op;
}

bool fits(const VarDesc& grad, const BucketPlan& bucket, std::size_t bucket_bytes) {
  const std::size_t count = bucket.count + aligned(static_cast<std::size_t>(count_of(grad.dims)));
  return count * size_of(grad.dtype) <= bucket_bytes;
}

}  // namespace

std::vector<BucketPlan> plan_buckets(const Block& block, std::size_t bucket_bytes) {
  std::vector<BucketPlan> buckets;
  std::map<DataType, std::size_t> open;  // the bucket that is being filled, by type
  for (std::size_t i = 0; i < block.ops().size(); ++i) {
    const Op& op = block.ops()[i];
    if (op.role != OpRole::kBackward) continue;
    for (std::size_t pair = 0; pair + 1 < op.role_vars.size(); pair += 2) {
      const VarDesc& grad = *block.find_desc(op.role_vars[pair + 1]);
      const auto found = open.find(grad.dtype);
      if (found == open.end() || !fits(grad, buckets[found->second], bucket_bytes)) {
        open[grad.dtype] = buckets.size();
        buckets.emplace_back();
      }
      add_gradient(grad, i, buckets[open[grad.dtype]]);
    }
  }
  std::stable_sort(buckets.begin(), buckets.end(),
                   [](const auto& a, const auto& b) { return a.ready_after < b.ready_after; });
  return buckets;
}

}  // namespace rondo::nn
