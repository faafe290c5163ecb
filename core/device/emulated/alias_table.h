#pragma once

// Where the emulated devices of this process see what the host must not touch: device address ->
// address of the same bytes in a mapping that can be read and written. It knows every allocation,
// so that an access outside of one is an error with a name instead of a fault in a stream.
// Threads: any.

#include <cstddef>
#include <map>
#include <shared_mutex>

#include "core/status.h"

namespace rondo::device {

class AliasTable {
 public:
  /// All addresses that belong to emulated devices, allocated or not.
  void add_range(const std::byte* start, std::size_t bytes);
  /// With all allocations in it.
  void remove_range(const std::byte* start);

  void add_allocation(const std::byte* start, std::size_t bytes, std::byte* alias);
  void remove_allocation(const std::byte* start);
  std::size_t allocations() const;

  /// Whether the pointer is in one of the ranges.
  bool is_known(const void* pointer) const;

  /// Null where the pointer is in no allocation.
  std::byte* alias_of(const void* pointer) const;

  /// The address to use for [pointer, pointer + bytes): host memory stays as it is.
  /// Errors: Device (freed memory, or past the end of its allocation).
  Result<std::byte*> resolve(const void* pointer, std::size_t bytes) const;

  /// Bytes from `pointer` to the end of its allocation; 0 where it is in none.
  std::size_t bytes_left(const void* pointer) const;

 private:
  struct Range {
    std::size_t bytes = 0;
    std::byte* alias = nullptr;
  };
  struct Found {
    std::size_t offset_bytes = 0;
    Range range;
    bool inside = false;
  };
  using Ranges = std::map<const std::byte*, Range>;
  static Found find(const Ranges& ranges, const void* pointer);

  mutable std::shared_mutex mutex_;
  Ranges ranges_;
  Ranges allocations_;
};

}  // namespace rondo::device
