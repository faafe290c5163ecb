// Direct all-gather: one step, every rank talks to every other rank. Made for shared memory, where
// a message is a read of the peer's buffer.
//
// Each rank puts its row in its own place (nothing to do in place), offers it to all peers, and
// receives the other rows, that of its next rank first, so that no two ranks begin at one peer.
//
// Cost: alpha (p-1 messages at once) + (p-1)/p * output bytes * beta.
// Source: folklore; the one-step half of R. Rabenseifner's direct exchange, ICCS 2004.

#include "collectives/algorithms/direct_all_gather.h"

#include <utility>

#include "collectives/algorithms/direct_all_reduce.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

schedule::RankSchedule direct_all_gather(const schedule::Request& request) {
  const int world = request.world;
  const auto own_row = static_cast<std::uint32_t>(request.rank);
  const Slice own{BufferRole::kOutput, own_row};
  schedule::Builder builder(request);
  builder.copy({BufferRole::kInput, own_row}, own);
  for (int index = 0; index < world - 1; ++index) {
    builder.send(direct_peer(request.rank, index, world), own);
  }
  for (int index = 0; index < world - 1; ++index) {
    const Rank peer = direct_peer(request.rank, index, world);
    builder.recv(peer, {BufferRole::kOutput, static_cast<std::uint32_t>(peer)});
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
