// Neighbour ring reduce-scatter: ring_reduce_scatter.cc round the ranks in the order of the layout,
// which neighbour_ring_all_reduce.cc describes.
//
// Phases are those of the ring; a rank's place in the order stands for its number, and the row of
// a place is that of the rank there. Where the order is 0, 1, 2, ... the two are the same schedule.
//
// Cost: as the ring, (p-1) alpha + (p-1)/p * input bytes * (beta + gamma), where beta is that of a
// link that carries one rank's stream; a ring that crosses between hosts k times in each direction
// takes k times as long. Source: as ring_reduce_scatter.cc and neighbour_ring_all_reduce.cc.

#include "collectives/algorithms/neighbour_ring_reduce_scatter.h"

#include <utility>

#include "collectives/algorithms/ring.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Slice;

schedule::RankSchedule neighbour_ring_reduce_scatter(const schedule::Request& request) {
  const int world = request.world;
  schedule::Builder builder(request);
  if (world == 1) {
    builder.copy({BufferRole::kInput, 0}, {BufferRole::kOutput, 0});
    return std::move(builder).finish();
  }
  const schedule::SharedLayout layout = schedule::layout_of(request);
  const int place = layout->place_in_order(request.rank);
  const auto rank_at = [&](auto other) { return layout->order()[static_cast<std::size_t>(other)]; };
  const auto row_of = [&](std::uint32_t other) {
    return static_cast<std::uint32_t>(rank_at(other));
  };
  Slice newest{BufferRole::kInput, row_of(ring_scatter_first_row(place, world))};
  for (int step = 0; step < world - 1; ++step) {
    builder.send(rank_at(ring_next(place, world)), newest);
    const std::uint32_t row = row_of(ring_scatter_row(place, step, world));
    const bool last = step == world - 2;
    newest = last ? Slice{BufferRole::kOutput, row} : builder.scratch(row);
    builder.recv_reduce(rank_at(ring_previous(place, world)), {BufferRole::kInput, row}, newest,
                        last);
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
