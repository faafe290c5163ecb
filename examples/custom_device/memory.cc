#include "examples/custom_device/memory.h"

#include <cstdlib>
#include <iterator>

namespace custom_cpu {
namespace {

constexpr std::size_t kAlignment = 64;

}  // namespace

void* Memory::allocate(int device, std::size_t bytes) {
  const std::size_t whole = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (whole < bytes) return nullptr;
  void* const memory = std::aligned_alloc(kAlignment, whole);
  if (memory == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  blocks_[static_cast<const std::byte*>(memory)] = {bytes, device};
  return memory;
}

bool Memory::deallocate(int device, void* memory) {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(static_cast<const std::byte*>(memory));
  if (block == blocks_.end() || block->second.device != device) return false;
  blocks_.erase(block);
  std::free(memory);
  return true;
}

bool Memory::owns(int device, const void* memory, std::size_t bytes) const {
  const auto* const address = static_cast<const std::byte*>(memory);
  const std::lock_guard lock(mutex_);
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return false;
  const auto& [start, block] = *std::prev(after);
  const auto offset = static_cast<std::size_t>(address - start);
  return block.device == device && offset <= block.bytes && bytes <= block.bytes - offset;
}

}  // namespace custom_cpu
