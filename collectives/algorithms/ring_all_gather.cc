// Ring all-gather: every rank talks to its two neighbours only.
//
// Phase 1: each rank puts its own row in its place in the output (nothing to do in place).
// Phase 2: world - 1 steps. Each rank passes on to the next what it received last, its own row
// first; after the last step every row has been everywhere.
//
// Cost: (p-1) alpha + (p-1)/p * output bytes * beta.
// Source: E. Chan, M. Heimlich, A. Purkayastha and R. van de Geijn, "Collective communication:
// theory, practice, and experience", CCPE 19 (2007), the bucket collect.

#include "collectives/algorithms/ring_all_gather.h"

#include <utility>

#include "collectives/algorithms/ring.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Slice;

schedule::RankSchedule ring_all_gather(const schedule::Request& request) {
  const int world = request.world;
  const auto own_row = static_cast<std::uint32_t>(request.rank);
  schedule::Builder builder(request);
  Slice newest{BufferRole::kOutput, own_row};
  builder.copy({BufferRole::kInput, own_row}, newest);
  for (int step = 0; step < world - 1; ++step) {
    builder.send(ring_next(request.rank, world), newest);
    newest = {BufferRole::kOutput, ring_all_gather_row(request.rank, step, world)};
    builder.recv(ring_previous(request.rank, world), newest);
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
