// Ring all-reduce: bandwidth-optimal, every rank talks to its two neighbours only.
//
// Phase 1, reduce: world - 1 steps. A partial sum of each row starts at the rank of its number and
// walks once round the ring; every rank on the way adds its own part. After the last step rank r
// holds row r + 1 complete.
// Phase 2, gather: world - 1 steps. The complete rows walk round once more and are only stored.
//
// A rank sends a row right after it received it, so the fusing pass joins the two into one sweep.
//
// Cost: 2(p-1) alpha + 2(p-1)/p * bytes * beta + (p-1)/p * bytes * gamma.
// Source: P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
// workstations", JPDC 69 (2009).

#include "collectives/algorithms/ring_all_reduce.h"

#include <utility>

#include "collectives/algorithms/ring.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Slice;

schedule::RankSchedule ring_all_reduce(const schedule::Request& request) {
  const int world = request.world;
  const schedule::Rank rank = request.rank;
  schedule::Builder builder(request);
  if (world == 1) {
    builder.copy({BufferRole::kInput, 0}, {BufferRole::kOutput, 0});
    return std::move(builder).finish();
  }
  const schedule::Rank next = ring_next(rank, world);
  const schedule::Rank previous = ring_previous(rank, world);
  Slice newest{BufferRole::kInput, ring_first_row(rank)};
  for (int step = 0; step < world - 1; ++step) {
    builder.send(next, newest);
    const std::uint32_t row = ring_reduce_row(rank, step, world);
    newest = {BufferRole::kOutput, row};
    builder.recv_reduce(previous, {BufferRole::kInput, row}, newest, step == world - 2);
  }
  for (int step = 0; step < world - 1; ++step) {
    builder.send(next, newest);
    newest = {BufferRole::kOutput, ring_gather_row(rank, step, world)};
    builder.recv(previous, newest);
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
