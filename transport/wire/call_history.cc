#include "transport/wire/call_history.h"

#include <fmt/format.h>

namespace rondo::transport {

void CallHistory::note(std::uint64_t sequence, const Fingerprint& fingerprint) {
  Entry& entry = entries_[sequence % kDepth];
  if (sequence >= entry.sequence) entry = {sequence, fingerprint};
}

std::optional<Fingerprint> CallHistory::find(std::uint64_t sequence) const {
  const Entry& entry = entries_[sequence % kDepth];
  if (sequence == 0 || entry.sequence != sequence) return std::nullopt;
  return entry.fingerprint;
}

Status check_call(int own_rank, const Call& own, int peer, std::uint64_t peer_sequence,
                  const Fingerprint& peer_fingerprint) {
  if (own.sequence != peer_sequence || own.fingerprint == peer_fingerprint) return {};
  const bool own_first = own_rank < peer;
  return Status(
      ErrorCode::kMismatch,
      fmt::format("call #{}: rank {} called {}, rank {} called {}: all ranks must make the same "
                  "calls in the same order",
                  own.sequence, own_first ? own_rank : peer,
                  to_string(own_first ? own.fingerprint : peer_fingerprint),
                  own_first ? peer : own_rank,
                  to_string(own_first ? peer_fingerprint : own.fingerprint)),
      peer);
}

}  // namespace rondo::transport
