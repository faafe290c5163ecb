#include "transport/ring/call_board.h"

#include <bit>

namespace rondo::transport {

void CallBoard::write(const Call& call) {
  Entry& entry = entries_[call.sequence % kDepth];
  if (entry.sequence.load(std::memory_order_relaxed) == call.sequence) return;
  const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(call.fingerprint);
  entry.sequence.store(0, std::memory_order_relaxed);
  // Release keeps the words behind the zero, and the number behind the words.
  entry.fingerprint[0].store(words[0], std::memory_order_release);
  entry.fingerprint[1].store(words[1], std::memory_order_release);
  entry.sequence.store(call.sequence, std::memory_order_release);
}

std::optional<Fingerprint> CallBoard::find(std::uint64_t sequence) const {
  const Entry& entry = entries_[sequence % kDepth];
  if (sequence == 0 || entry.sequence.load(std::memory_order_acquire) != sequence) return {};
  // Acquire keeps the second look at the number behind the words.
  const std::array<std::uint64_t, 2> words{entry.fingerprint[0].load(std::memory_order_acquire),
                                           entry.fingerprint[1].load(std::memory_order_acquire)};
  if (entry.sequence.load(std::memory_order_relaxed) != sequence) return {};
  return std::bit_cast<Fingerprint>(words);
}

}  // namespace rondo::transport
