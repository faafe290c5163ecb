// Bidirectional ring all-reduce: two rings at once, one each way, with half of the rows each. Where
// a link carries as much both ways together as one way (full duplex), and a host's neighbours hang
// on links of their own, it takes half the time of one ring.
//
// Lane 0 is the ring of ring_all_reduce.cc over the first p rows; lane 1 is its mirror image, in
// which rank r plays the part of rank p - 1 - r, over the other p rows.
//
// Cost: 2(p-1) alpha + (p-1)/p * bytes * beta (per direction) + (p-1)/p * bytes * gamma.
// Source: E. Chan, M. Heimlich, A. Purkayastha and R. van de Geijn, "Collective communication:
// theory, practice, and experience", CCPE 19 (2007), on bidirectional links.

#include "collectives/algorithms/bidirectional_ring_all_reduce.h"

#include <utility>

#include "collectives/algorithms/ring.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

namespace {

/// One of the two rings, as one of its ranks sees it.
struct Ring {
  Rank rank;  ///< its place in this ring's direction
  Rank next;
  Rank previous;
  std::uint32_t first_row;
  std::uint16_t lane;
};

void write_ring(schedule::Builder& builder, const Ring& ring, int world) {
  const auto input = [&](std::uint32_t row) {
    return Slice{BufferRole::kInput, ring.first_row + row};
  };
  const auto output = [&](std::uint32_t row) {
    return Slice{BufferRole::kOutput, ring.first_row + row};
  };
  Slice newest = input(ring_first_row(ring.rank));
  for (int step = 0; step < world - 1; ++step) {
    builder.send(ring.next, newest, ring.lane);
    const std::uint32_t row = ring_reduce_row(ring.rank, step, world);
    newest = output(row);
    builder.recv_reduce(ring.previous, input(row), newest, step == world - 2, ring.lane);
  }
  for (int step = 0; step < world - 1; ++step) {
    builder.send(ring.next, newest, ring.lane);
    newest = output(ring_gather_row(ring.rank, step, world));
    builder.recv(ring.previous, newest, ring.lane);
  }
}

}  // namespace

schedule::RankSchedule bidirectional_ring_all_reduce(const schedule::Request& request) {
  const int world = request.world;
  const Rank rank = request.rank;
  schedule::Builder builder(request);
  if (world == 1) {
    builder.copy({BufferRole::kInput, 0}, {BufferRole::kOutput, 0});
    builder.copy({BufferRole::kInput, 1}, {BufferRole::kOutput, 1});
    return std::move(builder).finish();
  }
  const Rank next = ring_next(rank, world);
  const Rank previous = ring_previous(rank, world);
  write_ring(builder, {rank, next, previous, 0, 0}, world);
  write_ring(builder, {world - 1 - rank, previous, next, static_cast<std::uint32_t>(world), 1},
             world);
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
