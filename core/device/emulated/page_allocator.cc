#include "core/device/emulated/page_allocator.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace rondo::device {

PageAllocator::PageAllocator(std::size_t capacity_bytes) {
  const std::size_t whole = capacity_bytes / kPageBytes * kPageBytes;
  if (whole > 0) gaps_[0] = whole;
}

std::optional<std::size_t> PageAllocator::allocate(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() - kPageBytes) return std::nullopt;
  const std::size_t whole = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  const auto gap = std::ranges::find_if(gaps_, [&](const auto& g) { return g.second >= whole; });
  if (gap == gaps_.end()) return std::nullopt;
  const auto [offset, gap_bytes] = *gap;
  gaps_.erase(gap);
  if (gap_bytes > whole) gaps_[offset + whole] = gap_bytes - whole;
  allocations_[offset] = whole;
  return offset;
}

std::size_t PageAllocator::free(std::size_t offset) {
  const auto allocation = allocations_.find(offset);
  if (allocation == allocations_.end()) return 0;
  const std::size_t freed_bytes = allocation->second;
  allocations_.erase(allocation);

  auto gap = gaps_.emplace(offset, freed_bytes).first;
  if (const auto next = std::next(gap);
      next != gaps_.end() && next->first == offset + freed_bytes) {
    gap->second += next->second;
    gaps_.erase(next);
  }
  if (gap != gaps_.begin()) {
    if (const auto before = std::prev(gap); before->first + before->second == offset) {
      before->second += gap->second;
      gaps_.erase(gap);
    }
  }
  return freed_bytes;
}

std::size_t PageAllocator::largest_gap_bytes() const {
  std::size_t largest = 0;
  for (const auto& [offset, bytes] : gaps_) largest = std::max(largest, bytes);
  return largest;
}

}  // namespace rondo::device
