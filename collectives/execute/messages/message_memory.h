#pragma once

// Memory for messages that came before they were asked for, used again and again: blocks whose
// sizes are powers of two, kept for the next message of that size. No more than `most_bytes` are
// held, in use and kept together, unless more than that is in use.
// Threads: one at a time. Allocates only while more blocks of a size are in use than are held.

#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/status.h"

namespace rondo::execute {

class MessageMemory {
 public:
  /// As device::allocate_memory gives it; nobody shares it.
  using Block = std::shared_ptr<std::byte[]>;

  static constexpr std::size_t kSmallestBytes = 64;
  static constexpr std::size_t kLargestBytes = std::size_t{64} << 10;

  explicit MessageMemory(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// At least `bytes`, up to kLargestBytes; null for 0. Errors: as device::allocate_memory.
  Result<Block> take(std::size_t bytes);
  /// What was taken for so many bytes.
  void give_back(Block block, std::size_t bytes);
  /// In use and kept.
  std::size_t held_bytes() const { return held_bytes_; }

 private:
  static constexpr std::size_t kOrders = std::countr_zero(kLargestBytes / kSmallestBytes) + 1;

  Result<Block> make(std::size_t order);
  void make_room(std::size_t bytes);

  std::size_t most_bytes_;
  std::size_t held_bytes_ = 0;
  std::array<std::vector<Block>, kOrders> kept_;  ///< k: of kSmallestBytes << k each
};

}  // namespace rondo::execute
