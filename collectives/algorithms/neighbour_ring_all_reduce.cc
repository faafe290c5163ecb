// Neighbour ring all-reduce: ring_all_reduce.cc round the ranks in the order of the layout. By
// default ranks of one host are neighbours, so that each host is entered once and left once,
// however ranks were dealt out to hosts; an order by measured bandwidths can take its place.
//
// Phases are those of the ring; a rank's place in the order stands for its number. Where the order
// is 0, 1, 2, ... the two are the same schedule.
//
// Cost: as the ring, 2(p-1) alpha + 2(p-1)/p * bytes * beta + (p-1)/p * bytes * gamma, where beta
// is that of a link that carries one rank's stream; a ring that crosses between hosts k times in
// each direction takes k times as long. Source: as ring_all_reduce.cc; the order as in NCCL's
// search for rings (graph/search.cc).

#include "collectives/algorithms/neighbour_ring_all_reduce.h"

#include <utility>

#include "collectives/algorithms/ring.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

schedule::RankSchedule neighbour_ring_all_reduce(const schedule::Request& request) {
  const int world = request.world;
  schedule::Builder builder(request);
  if (world == 1) {
    builder.copy({BufferRole::kInput, 0}, {BufferRole::kOutput, 0});
    return std::move(builder).finish();
  }
  const schedule::SharedLayout layout = schedule::layout_of(request);
  const int place = layout->place_in_order(request.rank);
  const auto rank_at = [&](int other) { return layout->order()[static_cast<std::size_t>(other)]; };
  const Rank next = rank_at(ring_next(place, world));
  const Rank previous = rank_at(ring_previous(place, world));
  Slice newest{BufferRole::kInput, ring_first_row(place)};
  for (int step = 0; step < world - 1; ++step) {
    builder.send(next, newest);
    const std::uint32_t row = ring_reduce_row(place, step, world);
    newest = {BufferRole::kOutput, row};
    builder.recv_reduce(previous, {BufferRole::kInput, row}, newest, step == world - 2);
  }
  for (int step = 0; step < world - 1; ++step) {
    builder.send(next, newest);
    newest = {BufferRole::kOutput, ring_gather_row(place, step, world)};
    builder.recv(previous, newest);
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
