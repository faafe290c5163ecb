#pragma once

// Bytes as values of PMI-1, whose lines know no spaces, newlines or lengths: what isn't a letter, a
// digit or one of "._-:/" becomes %XX, and what is longer than a launcher's longest value becomes
// several pieces, each of which says whether it is the last. Pure; thread-safe.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace rondo::rendezvous {

/// `bytes` in pieces of at most `piece_bytes` (2 or more), to be kept under one key each.
std::vector<std::string> pmi_pieces(std::string_view bytes, std::size_t piece_bytes);

/// Puts pieces together again. Threads: one at a time.
class PmiPieces {
 public:
  /// Errors: DataLoss (no piece, or more of them than a store's longest value makes).
  Status add(std::string_view piece);
  bool complete() const { return complete_; }
  /// The bytes of all pieces. Errors: DataLoss.
  Result<std::string> take() const;

 private:
  std::string text_;
  bool complete_ = false;
};

}  // namespace rondo::rendezvous
