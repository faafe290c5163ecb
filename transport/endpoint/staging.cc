#include "transport/endpoint/staging.h"

#include <algorithm>

#include "core/device/memory.h"

namespace rondo::transport {
namespace {

constexpr std::size_t kPageBytes = 4096;

std::size_t whole_pages(std::size_t bytes) {
  return std::max(kPageBytes, (bytes + kPageBytes - 1) / kPageBytes * kPageBytes);
}

}  // namespace

// The slot used last is the warmest. Where none is large enough the largest grows: the others keep
// fitting smaller messages.
std::size_t Staging::choose_free(std::size_t bytes) const {
  std::size_t best = free_.size() - 1;
  for (std::size_t i = free_.size(); i-- > 0;) {
    if (slots_[free_[best]].capacity_bytes >= bytes) break;
    if (slots_[free_[i]].capacity_bytes > slots_[free_[best]].capacity_bytes) best = i;
  }
  return best;
}

Result<std::uint32_t> Staging::acquire(std::size_t bytes) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
    free_.reserve(slots_.capacity());  // so that release() never allocates
  }
  const std::size_t position = choose_free(bytes);
  const std::uint32_t index = free_[position];
  Slot& slot = slots_[index];
  if (slot.capacity_bytes < bytes || slot.memory == nullptr) {
    slot = {};
    RONDO_ASSIGN(slot.memory, device::allocate_memory(Device::host(), whole_pages(bytes)));
    slot.capacity_bytes = whole_pages(bytes);
  }
  free_[position] = free_.back();
  free_.pop_back();
  return index;
}

}  // namespace rondo::transport
