// Direct reduce: every rank combines one row and hands it to the root. Made for shared memory,
// where all cores work and the results are stored straight into the root's output.
//
// Phase 1: every rank offers row k of its input to rank k, the owner of that row.
// Phase 2: the owner combines all contributions to its row in rank order; the root puts its own row
// into its output, the others send theirs there.
// Phase 3: the root receives the other rows.
//
// Cost: 2 alpha (p-1 messages at once, then p-1 at the root) + 2(p-1)/p * bytes * beta
//       + (p-1)/p * bytes * gamma.
// Source: R. Rabenseifner, "Optimization of collective reduction operations", ICCS 2004 (reduce as
// reduce-scatter and gather), with both halves done by direct exchange.

#include "collectives/algorithms/direct_reduce.h"

#include <utility>

#include "collectives/algorithms/direct_all_reduce.h"
#include "collectives/algorithms/rank_order_reduce.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

schedule::RankSchedule direct_reduce(const schedule::Request& request) {
  const int world = request.world;
  schedule::Builder builder(request);
  if (world == 1) {
    builder.copy({BufferRole::kInput, 0}, {BufferRole::kOutput, 0});
    return std::move(builder).finish();
  }
  for (int index = 0; index < world - 1; ++index) {
    const Rank owner = direct_peer(request.rank, index, world);
    builder.send(owner, {BufferRole::kInput, static_cast<std::uint32_t>(owner)});
  }
  const auto own_row = static_cast<std::uint32_t>(request.rank);
  if (request.rank != request.root) {
    const Slice result = builder.scratch(own_row);
    rank_order_reduce(builder, request, own_row, result);
    builder.send(request.root, result);
    return std::move(builder).finish();
  }
  rank_order_reduce(builder, request, own_row, {BufferRole::kOutput, own_row});
  for (int index = 0; index < world - 1; ++index) {
    const Rank owner = direct_peer(request.rank, index, world);
    builder.recv(owner, {BufferRole::kOutput, static_cast<std::uint32_t>(owner)});
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
