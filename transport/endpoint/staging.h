#pragma once

// Memory of one endpoint for payloads that have no place of their own: views of messages that came
// in pieces, and messages that came before anybody asked for them. Slots grow to what is asked of
// them and are then reused, so a steady pattern of calls allocates nothing.
// Threads: one at a time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/status.h"

namespace rondo::transport {

class Staging {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// A free slot of at least `bytes`; contents undefined, aligned to a cache line.
  /// Errors: System (no memory), InvalidArgument (the program's allocator gave what is of no use).
  Result<std::uint32_t> acquire(std::size_t bytes);
  std::byte* data(std::uint32_t slot) const { return slots_[slot].memory.get(); }
  void release(std::uint32_t slot) { free_.push_back(slot); }

 private:
  struct Slot {
    std::shared_ptr<std::byte[]> memory;
    std::size_t capacity_bytes = 0;
  };
  std::size_t choose_free(std::size_t bytes) const;

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace rondo::transport
