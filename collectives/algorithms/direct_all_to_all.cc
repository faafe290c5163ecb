// Direct all-to-all: all messages at once, in the order of the pairwise exchange.
//
// Phase 1: every rank offers each peer its row, its neighbour first, so that no peer is everybody's
// first; then it copies its own row.
// Phase 2: it receives all peers' rows, those first that it was first for.
//
// Nobody waits for one peer before it serves another: in shared memory, and where ranks outnumber
// their cores, that is one wait instead of p-1.
//
// Cost: alpha + (p-2)/4 alpha (all but the first message are taken in turn) + (p-1)/p * bytes *
// beta. Source: the linear, or basic, all-to-all of MPI libraries.

#include "collectives/algorithms/direct_all_to_all.h"

#include <utility>

#include "collectives/algorithms/pairwise_all_to_all.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;

schedule::RankSchedule direct_all_to_all(const schedule::Request& request) {
  const int world = request.world;
  const Rank rank = request.rank;
  schedule::Builder builder(request);
  for (int step = 1; step < world; ++step) {
    const Rank to = (rank + step) % world;
    builder.send(to, {BufferRole::kInput, row_between(rank, to, world)});
  }
  const std::uint32_t own_row = row_between(rank, rank, world);
  builder.copy({BufferRole::kInput, own_row}, {BufferRole::kOutput, own_row});
  for (int step = 1; step < world; ++step) {
    const Rank from = (rank - step + world) % world;
    builder.recv(from, {BufferRole::kOutput, row_between(from, rank, world)});
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
