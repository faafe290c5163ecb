// Pairwise all-to-all: every rank sends each peer its row and receives one from it.
//
// Phase 1: each rank copies the row that is for itself.
// Phase 2: p - 1 steps; in step s rank r sends to r + s and receives from r - s, so that in no step
// two ranks send to the same peer. Sends don't wait for each other: a slow pair holds nobody else
// up until its row is all that is missing.
//
// Cost: (p-1) alpha + (p-1)/p * input bytes * beta.
// Source: R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19 (2005), pairwise exchange for long messages.

#include "collectives/algorithms/pairwise_all_to_all.h"

#include <utility>

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;

std::uint32_t row_between(Rank from, Rank to, int world) {
  return static_cast<std::uint32_t>(from) * static_cast<std::uint32_t>(world) +
         static_cast<std::uint32_t>(to);
}

schedule::RankSchedule pairwise_all_to_all(const schedule::Request& request) {
  const int world = request.world;
  const Rank rank = request.rank;
  schedule::Builder builder(request);
  const std::uint32_t own_row = row_between(rank, rank, world);
  builder.copy({BufferRole::kInput, own_row}, {BufferRole::kOutput, own_row});
  for (int step = 1; step < world; ++step) {
    const Rank to = (rank + step) % world;
    const Rank from = (rank - step + world) % world;
    builder.send(to, {BufferRole::kInput, row_between(rank, to, world)});
    builder.recv(from, {BufferRole::kOutput, row_between(from, rank, world)});
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
