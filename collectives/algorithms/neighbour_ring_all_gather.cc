// Neighbour ring all-gather: ring_all_gather.cc round the ranks in the order of the layout, which
// neighbour_ring_all_reduce.cc describes.
//
// Phases are those of the ring; a rank's place in the order stands for its number, and the row of
// a place is that of the rank there. Where the order is 0, 1, 2, ... the two are the same schedule.
//
// Cost: as the ring, (p-1) alpha + (p-1)/p * output bytes * beta, where beta is that of a link that
// carries one rank's stream; a ring that crosses between hosts k times in each direction takes k
// times as long. Source: as ring_all_gather.cc and neighbour_ring_all_reduce.cc.

#include "collectives/algorithms/neighbour_ring_all_gather.h"

#include <utility>

#include "collectives/algorithms/ring.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

schedule::RankSchedule neighbour_ring_all_gather(const schedule::Request& request) {
  const int world = request.world;
  const schedule::SharedLayout layout = schedule::layout_of(request);
  const int place = layout->place_in_order(request.rank);
  const auto rank_at = [&](auto other) { return layout->order()[static_cast<std::size_t>(other)]; };
  const auto own_row = static_cast<std::uint32_t>(request.rank);
  schedule::Builder builder(request);
  Slice newest{BufferRole::kOutput, own_row};
  builder.copy({BufferRole::kInput, own_row}, newest);
  for (int step = 0; step < world - 1; ++step) {
    builder.send(rank_at(ring_next(place, world)), newest);
    const Rank from = rank_at(ring_all_gather_row(place, step, world));
    newest = {BufferRole::kOutput, static_cast<std::uint32_t>(from)};
    builder.recv(rank_at(ring_previous(place, world)), newest);
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
