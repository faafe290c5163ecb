// Bruck's all-to-all: every row hops over distances that are powers of two, so that a rank talks to
// ceil(log2 p) others only. For a few elements in large worlds, where a pair of its own for every
// row costs more than that rows travel.
//
// Phase 1: each rank copies the row that is for itself.
// Phase 2: ceil(log2 p) steps, over distances 1, 2, 4, ... A row from rank i to rank j has to move
// by (j - i) mod p; in the step of distance d it moves if that number has bit d. A rank sends all
// such rows that have come to it (at first its input), and receives as many: into the output if it
// is where they have to be, else into scratch, one slot for each stay, so that nothing is
// overwritten that a peer still reads. In small worlds of a power of two a row moves by i xor j
// (hops.h).
//
// Rows are messages of their own, of which between hosts a step's go out before any is waited for;
// where memory is shared, two at a time (rows_at_once). Every rank treats the distances in the
// same order, so sender and receiver agree on which row comes next.
//
// Cost: ceil(log2 p) alpha and at most p/2 ceil(log2 p) messages + ceil(log2 p)/2 * input bytes *
// beta. Scratch: the rows that stay on their way, less than ceil(log2 p)/2 times the input.
// Source: as bruck_all_gather.cc, the index algorithm with radix 2.

#include "collectives/algorithms/bruck_all_to_all.h"

#include <utility>
#include <vector>

#include "collectives/algorithms/bruck.h"
#include "collectives/algorithms/hops.h"
#include "collectives/algorithms/pairwise_all_to_all.h"
#include "collectives/algorithms/row_exchange.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

namespace {

/// The row that moves by `distance` and is received here in the step of `bit`.
std::uint32_t row_received(Rank rank, int distance, int bit, int world) {
  const Rank from = hop_from(rank, bruck_moved(distance, bit) + bit, world);
  return row_between(from, hop_to(from, distance, world), world);
}

}  // namespace

schedule::RankSchedule bruck_all_to_all(const schedule::Request& request) {
  const int world = request.world;
  const Rank rank = request.rank;
  schedule::Builder builder(request);
  std::vector<Slice> held;  // by distance: what this rank has of the rows that move by it
  for (int distance = 0; distance < world; ++distance) {
    held.push_back({BufferRole::kInput, row_between(rank, hop_to(rank, distance, world), world)});
  }
  builder.copy(held[0], {BufferRole::kOutput, held[0].chunk});
  for (int bit = 1; bit < world; bit *= 2) {
    std::vector<int> distances;
    for (int distance = bit; distance < world; ++distance)
      if ((distance & bit) != 0) distances.push_back(distance);
    exchange_rows(
        request, std::span<const int>(distances),
        [&](int distance) {
          builder.send(hop_to(rank, bit, world), held[static_cast<std::size_t>(distance)]);
        },
        [&](int distance) {
          Slice& own = held[static_cast<std::size_t>(distance)];
          const std::uint32_t row = row_received(rank, distance, bit, world);
          own =
              bruck_arrives(distance, bit) ? Slice{BufferRole::kOutput, row} : builder.scratch(row);
          builder.recv(hop_from(rank, bit, world), own);
        });
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
