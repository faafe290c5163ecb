#pragma once

// One place's board: the calls that it entered last, for peers to read at any time. A rank that has
// waited for long compares its call with the boards of others and so finds out who is elsewhere.
// Threads: one writer, any number of readers, no lock: an entry being rewritten reads as unknown.

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "transport/endpoint/call.h"
#include "transport/ring/line.h"

namespace rondo::transport {

class CallBoard {
 public:
  /// Free where the call is on the board already.
  void write(const Call& call);
  std::optional<Fingerprint> find(std::uint64_t sequence) const;

 private:
  struct alignas(kCacheLineBytes) Entry {
    std::atomic<std::uint64_t> sequence;  ///< 0: empty, or being written
    std::array<std::atomic<std::uint64_t>, 2> fingerprint;
  };
  static constexpr std::size_t kDepth = 8;
  std::array<Entry, kDepth> entries_;
};

}  // namespace rondo::transport
