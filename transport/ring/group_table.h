#pragma once

// The posted groups of one endpoint. A fixed number of records, made at creation; a token is a
// record's index and generation, so a token that was seen done stays done.
// Threads: one at a time.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/endpoint/endpoint.h"

namespace rondo::transport {

/// The bytes of a done kRecvView, and what has to be given back for them.
struct LentView {
  static constexpr int kNoStaging = -1;
  const std::byte* data = nullptr;
  std::uint64_t line = 0;
  std::uint16_t lane = 0;
  bool holds_line = false;
  int staging = kNoStaging;
};

struct Group {
  std::uint32_t generation = 1;
  std::uint32_t remaining = 0;  ///< transfers not done yet
  bool is_view = false;
  LentView view;
};

class GroupTable {
 public:
  explicit GroupTable(std::size_t capacity);

  bool full() const { return free_.empty(); }
  /// Not while full().
  std::uint32_t acquire(std::size_t transfers);
  void release(std::uint32_t index);

  Group& operator[](std::uint32_t index) { return groups_[index]; }
  Token token_of(std::uint32_t index) const;
  static std::uint32_t index_of(Token token) { return static_cast<std::uint32_t>(token); }
  /// Null for a token whose group is over.
  Group* find(Token token);

 private:
  std::vector<Group> groups_;
  std::vector<std::uint32_t> free_;
};

}  // namespace rondo::transport
