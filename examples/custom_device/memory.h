#pragma once

// The memory of the two devices, and that of other processes that this one has opened. Memory of
// any device is the host's own, so kernels and copies may use all of it. Threads: any.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "examples/custom_device/arena.h"
#include "examples/custom_device/shared_file.h"

namespace custom_cpu {

/// Memory as another process finds it: plain bytes.
struct MemoryName {
  FileName file{};
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  ///< 0: there is none
};

/// Memory that was named, seen as long as this lives.
class View {
 public:
  View() = default;
  explicit View(std::byte* own) : data_(own) {}
  explicit View(Mapping theirs) : mapping_(std::move(theirs)), data_(mapping_.data()) {}

  /// Null: it isn't there any more, or not so large.
  std::byte* data() const { return data_; }

 private:
  Mapping mapping_;  ///< of another process's
  std::byte* data_ = nullptr;
};

class Memory {
 public:
  explicit Memory(int devices) : arenas_(static_cast<std::size_t>(devices)) {}

  /// Null where there is none.
  void* allocate(int device, std::size_t bytes);
  /// False where it isn't a block of that device.
  bool deallocate(int device, void* memory);
  /// Whether [memory, memory + bytes) lies in one block of that device.
  bool owns(int device, const void* memory, std::size_t bytes) const;

  /// To the end of its block; no bytes where it lies in none.
  MemoryName name(const void* memory) const;
  /// Its first `bytes`. What is this process's own is seen where it lies.
  View see(const MemoryName& name, std::uint64_t bytes) const;

  /// All of it, until it is closed; null as for View. Each time at an address of its own.
  void* open(const MemoryName& name);
  /// False where nothing was opened there.
  bool close(void* memory);

 private:
  const Arena* arena_of(int device) const;

  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Arena>> arenas_;  ///< by device, made when first used
  std::map<void*, Mapping> opened_;
};

constexpr int kDevices = 2;
/// Kept until the process ends: streams may still be at work then.
Memory& memory();

}  // namespace custom_cpu
