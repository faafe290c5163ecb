#include "examples/custom_device/memory.h"

#include <unistd.h>

#include <algorithm>

namespace custom_cpu {
namespace {

/// Of each device; it takes what is written to.
constexpr std::uint64_t kDeviceBytes = std::uint64_t{4} << 30;

}  // namespace

Memory& memory() {
  static Memory& made = *new Memory(kDevices);
  return made;
}

void* Memory::allocate(int device, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto index = static_cast<std::size_t>(device);
  if (index >= arenas_.size()) return nullptr;
  if (arenas_[index] == nullptr) arenas_[index] = Arena::create(kDeviceBytes);
  return arenas_[index] == nullptr ? nullptr : arenas_[index]->allocate(bytes);
}

bool Memory::deallocate(int device, void* memory) {
  const std::lock_guard lock(mutex_);
  const auto index = static_cast<std::size_t>(device);
  return arena_of(device) != nullptr && arenas_[index]->free(static_cast<const std::byte*>(memory));
}

bool Memory::owns(int device, const void* memory, std::size_t bytes) const {
  const std::lock_guard lock(mutex_);
  const Arena* const arena = arena_of(device);
  if (arena == nullptr) return false;
  const std::uint64_t left = arena->bytes_from(static_cast<const std::byte*>(memory));
  return left != 0 && bytes <= left;
}

MemoryName Memory::name(const void* memory) const {
  const auto* const address = static_cast<const std::byte*>(memory);
  const std::lock_guard lock(mutex_);
  for (const auto& arena : arenas_) {
    const std::uint64_t left = arena == nullptr ? 0 : arena->bytes_from(address);
    if (left != 0) return {arena->file(), arena->offset_of(address), left};
  }
  return {};
}

View Memory::see(const MemoryName& name, std::uint64_t bytes) const {
  if (bytes > name.bytes) return {};
  if (name.file.process != ::getpid()) return View(Mapping::open(name.file, name.offset, bytes));
  const std::lock_guard lock(mutex_);
  const auto is_named = [&name](const auto& arena) {
    return arena != nullptr && arena->file().inode == name.file.inode;
  };
  const auto arena = std::find_if(arenas_.begin(), arenas_.end(), is_named);
  return arena == arenas_.end() ? View() : View((*arena)->at(name.offset));
}

void* Memory::open(const MemoryName& name) {
  Mapping mapping = Mapping::open(name.file, name.offset, name.bytes);
  void* const seen = mapping.data();
  if (seen == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  opened_[seen] = std::move(mapping);
  return seen;
}

bool Memory::close(void* memory) {
  const std::lock_guard lock(mutex_);
  return opened_.erase(memory) != 0;
}

const Arena* Memory::arena_of(int device) const {
  const auto index = static_cast<std::size_t>(device);
  return index < arenas_.size() ? arenas_[index].get() : nullptr;
}

}  // namespace custom_cpu
