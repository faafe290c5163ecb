#pragma once

// The groups of transfers that are under way at one endpoint, and the tokens that name them. A
// token carries its entry's generation, so an old token is never taken for a newer group.
// Threads: one at a time. Allocates only while the number of open groups grows.

#include <cstdint>
#include <vector>

#include "transport/endpoint/endpoint.h"

namespace rondo::transport {

class TcpGroupTable {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  explicit TcpGroupTable(std::size_t expected);

  std::uint32_t open(std::size_t transfers);
  Token token(std::uint32_t group) const;
  void complete_one(std::uint32_t group) { --entries_[group].open_transfers; }
  /// The staging slot in which a group's view lies.
  void set_view(std::uint32_t group, std::uint32_t slot) { entries_[group].view_slot = slot; }

  /// True for a group that is complete, also one closed since.
  bool done(Token token) const;
  /// The slot of a complete group's view; kNone where it has none.
  std::uint32_t view_slot(Token token) const;
  /// Forgets a group; harmless if it is forgotten already.
  void close(Token token);

 private:
  struct Entry {
    std::uint32_t generation = 1;
    std::uint32_t open_transfers = 0;
    std::uint32_t view_slot = kNone;
  };
  const Entry* find(Token token) const;

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
};

}  // namespace rondo::transport
