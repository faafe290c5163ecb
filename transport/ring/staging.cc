#include "transport/ring/staging.h"

#include "transport/ring/line.h"

namespace rondo::transport {

int Staging::acquire(std::size_t bytes) {
  int best = -1;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    if (buffer.used || buffer.bytes < bytes) continue;
    if (best < 0 || buffer.bytes < buffers_[static_cast<std::size_t>(best)].bytes)
      best = static_cast<int>(i);
  }
  if (best >= 0) {
    buffers_[static_cast<std::size_t>(best)].used = true;
    return best;
  }
  const std::size_t rounded = (bytes + kCacheLineBytes) / kCacheLineBytes * kCacheLineBytes;
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kCacheLineBytes, rounded));
  if (memory == nullptr) return -1;
  buffers_.push_back(
      {.memory = std::unique_ptr<std::byte, Free>(memory), .bytes = rounded, .used = true});
  return static_cast<int>(buffers_.size() - 1);
}

}  // namespace rondo::transport
