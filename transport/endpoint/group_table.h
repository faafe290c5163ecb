#pragma once

// The posted groups of one endpoint. A token is a record's index and generation, so a token that
// was seen done stays done, and an old one is never taken for a newer group's. Threads: one at a
// time. Allocates only while more groups are open than ever before.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/endpoint/endpoint.h"

namespace rondo::transport {

/// `View` says where the bytes of a done kRecvView lie, in the endpoint's own terms.
template <typename View>
struct Group {
  std::uint32_t generation = 1;
  std::uint32_t remaining = 0;  ///< transfers not done yet
  bool is_view = false;
  View view{};
};

template <typename View>
class GroupTable {
 public:
  /// `expected` groups are open at most, as a rule.
  explicit GroupTable(std::size_t expected) {
    groups_.reserve(expected);
    free_.reserve(expected);
  }

  /// A group of so many transfers.
  std::uint32_t acquire(std::size_t transfers) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(groups_.size()));
      groups_.emplace_back();
      free_.reserve(groups_.capacity());  // so that release() never allocates
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    Group<View>& group = groups_[index];
    group.remaining = static_cast<std::uint32_t>(transfers);
    group.is_view = false;
    group.view = {};
    return index;
  }
  void release(std::uint32_t index) {
    ++groups_[index].generation;
    free_.push_back(index);
  }

  std::size_t open() const { return groups_.size() - free_.size(); }
  Group<View>& operator[](std::uint32_t index) { return groups_[index]; }
  Token token_of(std::uint32_t index) const {
    return (Token{groups_[index].generation} << 32) | index;
  }
  static std::uint32_t index_of(Token token) { return static_cast<std::uint32_t>(token); }
  /// Null for a token whose group is over.
  Group<View>* find(Token token) {
    const std::uint32_t index = index_of(token);
    if (index >= groups_.size() || groups_[index].generation != token >> 32) return nullptr;
    return &groups_[index];
  }

 private:
  std::vector<Group<View>> groups_;
  std::vector<std::uint32_t> free_;
};

}  // namespace rondo::transport
