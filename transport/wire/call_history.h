#pragma once

// What a rank is known to have called lately, and the error for two ranks that don't agree.
// Pure. Threads: one at a time per object.

#include <array>
#include <cstdint>
#include <optional>

#include "core/status.h"
#include "transport/endpoint/call.h"

namespace rondo::transport {

/// The newest calls of one rank; a call is forgotten once one 64 or more numbers later is noted.
class CallHistory {
 public:
  void note(std::uint64_t sequence, const Fingerprint& fingerprint);
  std::optional<Fingerprint> find(std::uint64_t sequence) const;

 private:
  struct Entry {
    std::uint64_t sequence = 0;  ///< 0: empty, calls are counted from 1
    Fingerprint fingerprint;
  };
  static constexpr std::size_t kDepth = 64;
  std::array<Entry, kDepth> entries_{};
};

/// OK unless the two are calls of the same number with different arguments.
/// Errors: Mismatch (culprit: `peer`); the text is the same on both ranks.
Status check_call(int own_rank, const Call& own, int peer, std::uint64_t peer_sequence,
                  const Fingerprint& peer_fingerprint);

}  // namespace rondo::transport
