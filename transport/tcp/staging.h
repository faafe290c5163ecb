#pragma once

// Memory of one endpoint for payloads that have no place of their own yet: views, and messages that
// came before anybody asked for them. Slots grow to what is asked of them and are then reused, so a
// steady state allocates nothing. Threads: one at a time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace rondo::transport {

class TcpStaging {
 public:
  /// A free slot of at least `bytes`; contents undefined, aligned to a cache line.
  std::uint32_t acquire(std::size_t bytes);
  std::byte* data(std::uint32_t slot) const { return slots_[slot].memory.get(); }
  void release(std::uint32_t slot) { free_.push_back(slot); }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, kAlignment); }
  };
  struct Slot {
    std::unique_ptr<std::byte, Free> memory;
    std::size_t capacity_bytes = 0;
  };
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace rondo::transport
