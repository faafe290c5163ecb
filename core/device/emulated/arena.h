#pragma once

// All memory of one emulated device: one sealed memfd, mapped twice. The addresses that are handed
// out lie in a mapping without access rights; the device itself uses the second mapping.
// The file is sparse: pages exist once they are written, and are given back on free.
// Threads: any.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "core/device/driver.h"
#include "core/device/emulated/alias_table.h"
#include "core/device/emulated/mapping.h"
#include "core/device/emulated/page_allocator.h"
#include "core/status.h"
#include "core/unique_fd.h"

namespace rondo::device {

class EmulatedArena {
 public:
  /// `table` outlives the arena. Errors: System.
  static Result<std::unique_ptr<EmulatedArena>> create(Device device, std::size_t capacity_bytes,
                                                       AliasTable& table);
  ~EmulatedArena();

  /// Errors: Device (out of memory: what was asked for and what is left).
  Result<void*> allocate(std::size_t bytes);
  /// False where `pointer` is not the start of an allocation of this arena.
  bool free(void* pointer);

  bool contains(const void* pointer) const;
  /// Errors: InvalidArgument (in no allocation), System.
  Result<SharedHandle> export_memory(const void* pointer) const;
  /// Whether the allocation of a handle is still there.
  bool lives(const SharedHandle& memory) const;

 private:
  EmulatedArena(Device device, UniqueFd file, Mapping faulting, Mapping alias, AliasTable& table);
  std::size_t offset_of(const void* pointer) const;
  static std::uint64_t address_of(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
  }

  Device device_;
  UniqueFd file_;
  Mapping faulting_;
  Mapping alias_;
  AliasTable& table_;
  mutable std::mutex mutex_;
  PageAllocator pages_;
  std::map<std::uint64_t, std::uint64_t> numbers_;  ///< of the allocations, by address
};

}  // namespace rondo::device
