#pragma once

// The memory of the two devices: the host's, taken block by block. Threads: any.

#include <cstddef>
#include <map>
#include <mutex>

namespace custom_cpu {

class Memory {
 public:
  /// Null where there is none.
  void* allocate(int device, std::size_t bytes);
  /// False where it isn't a block of that device.
  bool deallocate(int device, void* memory);
  /// Whether [memory, memory + bytes) lies in one block of that device.
  bool owns(int device, const void* memory, std::size_t bytes) const;

 private:
  struct Block {
    std::size_t bytes = 0;
    int device = 0;
  };
  mutable std::mutex mutex_;
  std::map<const std::byte*, Block> blocks_;
};

}  // namespace custom_cpu
