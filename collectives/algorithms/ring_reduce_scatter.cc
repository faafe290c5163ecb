// Ring reduce-scatter: every rank talks to its two neighbours only.
//
// One phase of world - 1 steps: a partial sum of each row starts one rank behind its owner and
// walks round the ring; every rank adds its own part and passes the sum on. The last step brings
// row r to rank r. The input is never written: sums on their way live in scratch, one slot per row
// that passes through (its memory is also what the message to the next rank is read from).
//
// Cost: (p-1) alpha + (p-1)/p * input bytes * (beta + gamma).
// Source: the first phase of P. Patarasuk and X. Yuan, JPDC 69 (2009).

#include "collectives/algorithms/ring_reduce_scatter.h"

#include <utility>

#include "collectives/algorithms/ring.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Slice;

schedule::RankSchedule ring_reduce_scatter(const schedule::Request& request) {
  const int world = request.world;
  const schedule::Rank rank = request.rank;
  schedule::Builder builder(request);
  if (world == 1) {
    builder.copy({BufferRole::kInput, 0}, {BufferRole::kOutput, 0});
    return std::move(builder).finish();
  }
  Slice newest{BufferRole::kInput, ring_scatter_first_row(rank, world)};
  for (int step = 0; step < world - 1; ++step) {
    builder.send(ring_next(rank, world), newest);
    const std::uint32_t row = ring_scatter_row(rank, step, world);
    const bool last = step == world - 2;
    newest = last ? Slice{BufferRole::kOutput, row} : builder.scratch(row);
    builder.recv_reduce(ring_previous(rank, world), {BufferRole::kInput, row}, newest, last);
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
