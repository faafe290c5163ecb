// Parallel aggregated trees, reduce-scatter: the sums of every rank's row come up a binomial tree
// of its own, and the trees advance together, the shortest hops first: pat_all_gather.cc backwards.
//
// In the tree of a row its owner is number 0, the next rank 1 and so on. In the step of distance d
// (1, 2, 4, ...) the numbers that are odd multiples of d send what they have summed to the number d
// before them, which adds it to its own. A rank plays a different number in each tree, so in every
// step it sends rows to one rank and receives as many from another; in small worlds of a power of
// two from the same (hops.h): recursive halving.
//
// One phase of ceil(log2 p) steps; rows are messages of their own, of which between hosts a step's
// go out before any is waited for; where memory is shared, two at a time (rows_at_once). A rank's
// sums lie in scratch: one slot for each tree in which it is an inner number, less than p/2.
//
// The paper bounds the scratch by log2 p slots, which the trees then have to take in turns. Here a
// slot has the size of one row and can't serve another, so all trees advance at once.
//
// Cost: ceil(log2 p) alpha and p - 1 messages + (p-1)/p * input bytes * (beta + gamma); where
// memory is shared, p/2 alpha.
// Source: as pat_all_gather.cc.

#include "collectives/algorithms/pat_reduce_scatter.h"

#include <utility>
#include <vector>

#include "collectives/algorithms/bruck.h"
#include "collectives/algorithms/hops.h"
#include "collectives/algorithms/row_exchange.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

namespace {

std::uint32_t row_with_number(const schedule::Request& request, int number) {
  return static_cast<std::uint32_t>(hop_from(request.rank, number, request.world));
}

/// What this rank has summed so far, by its number in the tree: at first its input.
std::vector<Slice> own_inputs(const schedule::Request& request) {
  std::vector<Slice> sums;
  for (int number = 0; number < request.world; ++number) {
    sums.push_back({BufferRole::kInput, row_with_number(request, number)});
  }
  return sums;
}

}  // namespace

schedule::RankSchedule pat_reduce_scatter(const schedule::Request& request) {
  const int world = request.world;
  const Rank rank = request.rank;
  schedule::Builder builder(request);
  std::vector<Slice> sums = own_inputs(request);
  const Slice output{BufferRole::kOutput, sums[0].chunk};
  if (world == 1) builder.copy(sums[0], output);
  for (int distance = 1; distance < world; distance *= 2) {
    const std::vector<int> numbers = pat_parents(distance, world);
    exchange_rows(
        request, std::span<const int>(numbers),
        [&](int number) {
          builder.send(hop_from(rank, distance, world),
                       sums[static_cast<std::size_t>(number + distance)]);
        },
        [&](int number) {
          Slice& sum = sums[static_cast<std::size_t>(number)];
          const Slice own = sum;
          if (number == 0) {
            sum = output;
          } else if (own.buffer == BufferRole::kInput) {
            sum = builder.scratch(own.chunk);
          }
          const bool completes = number == 0 && 2 * distance >= world;
          builder.recv_reduce(hop_to(rank, distance, world), own, sum, completes);
        });
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
