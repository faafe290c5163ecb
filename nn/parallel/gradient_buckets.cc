#include "nn/parallel/gradient_buckets.h"

#include <cstddef>
#include <cstring>
#include <utility>

namespace rondo::nn {

GradientBuckets::GradientBuckets(std::vector<BucketPlan> plans) : plans_(std::move(plans)) {
  for (const std::size_t bytes : sizes()) {
    memory_.emplace_back(bytes);
    // The gaps between gradients are summed too: they must hold numbers.
    std::memset(memory_.back().data(), 0, bytes);
  }
}

std::map<std::string, Tensor> GradientBuckets::tensors() const {
  std::map<std::string, Tensor> all;
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    auto* base = static_cast<std::byte*>(memory_[i].data());
    for (const BucketEntry& entry : plans_[i].entries) {
      void* data = base + entry.first * size_of(plans_[i].dtype);
      all.emplace(entry.grad, Tensor::borrow(data, plans_[i].dtype, entry.dims));
    }
  }
  return all;
}

std::vector<std::size_t> GradientBuckets::sizes() const {
  std::vector<std::size_t> bytes;
  for (const BucketPlan& plan : plans_) bytes.push_back(plan.count * size_of(plan.dtype));
  return bytes;
}

void GradientBuckets::after_op(std::size_t op, Communicator& communicator) {
  while (next_ < plans_.size() && plans_[next_].ready_after == op) {
    communicator.all_reduce(
        Buffer{memory_[next_].data(), plans_[next_].count, plans_[next_].dtype});
    ++next_;
  }
}

}  // namespace rondo::nn
