#include "collectives/execute/messages/message_memory.h"

#include <algorithm>
#include <utility>

#include "core/device/memory.h"

namespace rondo::execute {
namespace {

constexpr std::size_t bytes_of(std::size_t order) { return MessageMemory::kSmallestBytes << order; }

/// Of the smallest blocks that so many bytes fit into.
constexpr std::size_t order_for(std::size_t bytes) {
  const std::size_t whole = std::bit_ceil(std::max(bytes, MessageMemory::kSmallestBytes));
  return static_cast<std::size_t>(std::countr_zero(whole / MessageMemory::kSmallestBytes));
}

}  // namespace

Result<MessageMemory::Block> MessageMemory::take(std::size_t bytes) {
  if (bytes == 0) return Block();
  const std::size_t order = order_for(bytes);
  std::vector<Block>& alike = kept_[order];
  if (alike.empty()) return make(order);
  Block block = std::move(alike.back());
  alike.pop_back();
  return block;
}

Result<MessageMemory::Block> MessageMemory::make(std::size_t order) {
  make_room(bytes_of(order));
  RONDO_ASSIGN(Block block, device::allocate_memory(Device::host(), bytes_of(order)));
  held_bytes_ += bytes_of(order);
  return block;
}

/// The largest go first: they make the most room.
void MessageMemory::make_room(std::size_t bytes) {
  for (std::size_t order = kOrders; order-- > 0;) {
    while (held_bytes_ + bytes > most_bytes_ && !kept_[order].empty()) {
      kept_[order].pop_back();
      held_bytes_ -= bytes_of(order);
    }
  }
}

void MessageMemory::give_back(Block block, std::size_t bytes) {
  if (bytes > 0) kept_[order_for(bytes)].push_back(std::move(block));
}

}  // namespace rondo::execute
