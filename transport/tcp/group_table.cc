#include "transport/tcp/group_table.h"

namespace rondo::transport {
namespace {

std::uint32_t index_of(Token token) { return static_cast<std::uint32_t>(token); }
std::uint32_t generation_of(Token token) { return static_cast<std::uint32_t>(token >> 32); }

}  // namespace

TcpGroupTable::TcpGroupTable(std::size_t expected) {
  entries_.reserve(expected);
  free_.reserve(expected);
}

std::uint32_t TcpGroupTable::open(std::size_t transfers) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(entries_.size()));
    entries_.emplace_back();
    free_.reserve(entries_.capacity());  // so that close() never allocates
  }
  const std::uint32_t group = free_.back();
  free_.pop_back();
  entries_[group].open_transfers = static_cast<std::uint32_t>(transfers);
  entries_[group].view_slot = kNone;
  return group;
}

Token TcpGroupTable::token(std::uint32_t group) const {
  return (Token{entries_[group].generation} << 32) | group;
}

const TcpGroupTable::Entry* TcpGroupTable::find(Token token) const {
  const std::uint32_t group = index_of(token);
  if (group >= entries_.size() || entries_[group].generation != generation_of(token))
    return nullptr;
  return &entries_[group];
}

bool TcpGroupTable::done(Token token) const {
  const Entry* entry = find(token);
  return entry == nullptr || entry->open_transfers == 0;
}

std::uint32_t TcpGroupTable::view_slot(Token token) const {
  const Entry* entry = find(token);
  return entry == nullptr ? kNone : entry->view_slot;
}

void TcpGroupTable::close(Token token) {
  if (find(token) == nullptr) return;
  ++entries_[index_of(token)].generation;
  free_.push_back(index_of(token));
}

}  // namespace rondo::transport
