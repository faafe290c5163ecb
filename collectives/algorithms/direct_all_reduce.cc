// Direct (two-shot) all-reduce: every rank talks to every other rank. Made for shared memory, where
// a message is a read of the peer's buffer.
//
// Phase 1: every rank offers row k of its input to rank k, the owner of that row.
// Phase 2: the owner combines all contributions to its row in rank order and sends the result to
// all. This is one run of ops that the fusing pass joins into a single sweep: all peers' rows in,
// the sum out to all of them.
// Phase 3: every rank receives the other owners' results.
//
// Cost: 2 alpha (2(p-1) messages at once) + 2(p-1)/p * bytes * beta + (p-1)/p * bytes * gamma.
// Source: R. Rabenseifner, "Optimization of collective reduction operations", ICCS 2004, with both
// halves done by direct exchange instead of halving.

#include "collectives/algorithms/direct_all_reduce.h"

#include <utility>

#include "collectives/algorithms/rank_order_reduce.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

Rank direct_peer(Rank rank, int index, int world) { return (rank + 1 + index) % world; }

schedule::RankSchedule direct_all_reduce(const schedule::Request& request) {
  const int world = request.world;
  const Rank rank = request.rank;
  schedule::Builder builder(request);
  if (world == 1) {
    builder.copy({BufferRole::kInput, 0}, {BufferRole::kOutput, 0});
    return std::move(builder).finish();
  }
  for (int index = 0; index < world - 1; ++index) {
    const Rank owner = direct_peer(rank, index, world);
    builder.send(owner, {BufferRole::kInput, static_cast<std::uint32_t>(owner)});
  }
  const auto own_row = static_cast<std::uint32_t>(rank);
  const Slice result{BufferRole::kOutput, own_row};
  rank_order_reduce(builder, request, own_row, result);
  for (int index = 0; index < world - 1; ++index) {
    builder.send(direct_peer(rank, index, world), result);
  }
  for (int index = 0; index < world - 1; ++index) {
    const Rank owner = direct_peer(rank, index, world);
    builder.recv(owner, {BufferRole::kOutput, static_cast<std::uint32_t>(owner)});
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
