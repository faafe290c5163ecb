#include "transport/tcp/staging.h"

#include <algorithm>

namespace rondo::transport {
namespace {

constexpr std::size_t kPageBytes = 4096;

std::size_t whole_pages(std::size_t bytes) {
  return std::max(kPageBytes, (bytes + kPageBytes - 1) / kPageBytes * kPageBytes);
}

}  // namespace

std::uint32_t TcpStaging::acquire(std::size_t bytes) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
    free_.reserve(slots_.capacity());  // so that release() never allocates
  }
  // The slot used last is the warmest. Where none is large enough the largest grows: the others
  // keep fitting smaller messages.
  auto best = free_.rbegin();
  for (auto it = free_.rbegin(); it != free_.rend(); ++it) {
    if (slots_[*best].capacity_bytes >= bytes) break;
    if (slots_[*it].capacity_bytes > slots_[*best].capacity_bytes) best = it;
  }
  const std::uint32_t slot = *best;
  *best = free_.back();
  free_.pop_back();
  if (Slot& chosen = slots_[slot]; chosen.capacity_bytes < bytes || chosen.memory == nullptr) {
    chosen.memory.reset();
    chosen.capacity_bytes = whole_pages(bytes);
    chosen.memory.reset(static_cast<std::byte*>(::operator new(chosen.capacity_bytes, kAlignment)));
  }
  return slot;
}

}  // namespace rondo::transport
