// Parallel aggregated trees, all-gather: every rank's row goes down a binomial tree of its own, and
// the trees advance together, the longest hops first. A logarithmic number of steps at any world
// size, in which the far links carry one row and half of all rows move between neighbours.
//
// In the tree of a row its owner is number 0, the next rank 1 and so on; the parent of a number is
// that number with its lowest set bit cleared. In the step of distance d (the highest power of two
// first) the numbers that are multiples of 2d send to the number d further on. So a rank sends, in
// that step, all rows that it has to one rank, and receives as many from another; in small worlds
// of a power of two from the same (hops.h).
//
// Phase 1: each rank puts its own row in its place in the output (nothing to do in place).
// Phase 2: ceil(log2 p) steps. Rows are messages of their own, of which between hosts a step's go
// out before any is waited for; where memory is shared, two at a time (rows_at_once).
//
// What is received lies in the output already: no scratch, so the trees needn't be cut into parts
// that advance one after the other, as they must be where buffers are short.
//
// Cost: ceil(log2 p) alpha and p - 1 messages + (p-1)/p * output bytes * beta. Where memory is
// shared, p/2 alpha.
// Source: S. Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter operations at scale",
// arXiv 2506.20252 (2025), in NCCL since 2.23.

#include "collectives/algorithms/pat_all_gather.h"

#include <utility>
#include <vector>

#include "collectives/algorithms/bruck.h"
#include "collectives/algorithms/hops.h"
#include "collectives/algorithms/power_of_two.h"
#include "collectives/algorithms/row_exchange.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

schedule::RankSchedule pat_all_gather(const schedule::Request& request) {
  const int world = request.world;
  const Rank rank = request.rank;
  const auto row_with_number = [&](int number) {
    return Slice{BufferRole::kOutput, static_cast<std::uint32_t>(hop_from(rank, number, world))};
  };
  schedule::Builder builder(request);
  builder.copy({BufferRole::kInput, static_cast<std::uint32_t>(rank)}, row_with_number(0));
  for (int distance = PowerOfTwo(world).size(); distance > 0; distance /= 2) {
    const std::vector<int> numbers = pat_parents(distance, world);
    exchange_rows(
        request, std::span<const int>(numbers),
        [&](int number) { builder.send(hop_to(rank, distance, world), row_with_number(number)); },
        [&](int number) {
          builder.recv(hop_from(rank, distance, world), row_with_number(number + distance));
        });
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
