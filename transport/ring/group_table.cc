#include "transport/ring/group_table.h"

namespace rondo::transport {

GroupTable::GroupTable(std::size_t capacity) : groups_(capacity) {
  free_.reserve(capacity);
  for (std::size_t i = capacity; i > 0; --i) free_.push_back(static_cast<std::uint32_t>(i - 1));
}

std::uint32_t GroupTable::acquire(std::size_t transfers) {
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Group& group = groups_[index];
  group.remaining = static_cast<std::uint32_t>(transfers);
  group.is_view = false;
  return index;
}

void GroupTable::release(std::uint32_t index) {
  ++groups_[index].generation;
  free_.push_back(index);
}

Token GroupTable::token_of(std::uint32_t index) const {
  return (Token{groups_[index].generation} << 32) | index;
}

Group* GroupTable::find(Token token) {
  const std::uint32_t index = index_of(token);
  if (index >= groups_.size() || groups_[index].generation != token >> 32) return nullptr;
  return &groups_[index];
}

}  // namespace rondo::transport
