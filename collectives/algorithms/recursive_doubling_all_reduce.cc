// Recursive doubling all-reduce: in each step ranks whose numbers differ in one bit exchange all
// they have, and both add. For a few elements between hosts: the fewest steps that whole messages
// allow.
//
// Phase 1: in a world that is no power of two, guests give their input to their hosts.
// Phase 2: log2 steps; what a rank has after a step goes to a place of its own, since its peer may
// still be reading what it had before.
// Phase 3: hosts give the result to their guests.
//
// Cost: ceil(log2 p) * (alpha + bytes * (beta + gamma)), and 2 (alpha + bytes * beta) more where
// there are guests.
// Source: R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of collective communication
// operations in MPICH", IJHPCA 19 (2005).

#include "collectives/algorithms/recursive_doubling_all_reduce.h"

#include <utility>

#include "collectives/algorithms/power_of_two.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

namespace {

constexpr Slice kInput{BufferRole::kInput, 0};
constexpr Slice kOutput{BufferRole::kOutput, 0};

void as_guest(schedule::Builder& builder, Rank host) {
  builder.send(host, kInput);
  builder.recv(host, kOutput);
}

/// This rank's contribution, with its guest's. Never the input itself: in place the result would
/// be stored where a peer still reads.
Slice own_contribution(schedule::Builder& builder, const PowerOfTwo& ranks, Rank rank) {
  const Slice own = builder.scratch(0);
  if (ranks.is_host(rank)) {
    builder.recv_reduce(PowerOfTwo::other(rank), kInput, own, false);
  } else {
    builder.copy(kInput, own);
  }
  return own;
}

}  // namespace

schedule::RankSchedule recursive_doubling_all_reduce(const schedule::Request& request) {
  const Rank rank = request.rank;
  const PowerOfTwo ranks(request.world);
  schedule::Builder builder(request);
  if (request.world == 1) {
    builder.copy(kInput, kOutput);
    return std::move(builder).finish();
  }
  if (ranks.is_guest(rank)) {
    as_guest(builder, PowerOfTwo::other(rank));
    return std::move(builder).finish();
  }
  Slice sum = own_contribution(builder, ranks, rank);
  for (int bit = 1; bit < ranks.size(); bit *= 2) {
    const Rank peer = ranks.rank(ranks.number(rank) ^ bit);
    const bool last = 2 * bit == ranks.size();
    const Slice next = last ? kOutput : builder.scratch(0);
    builder.send(peer, sum);
    builder.recv_reduce(peer, sum, next, last);
    sum = next;
  }
  if (ranks.is_host(rank)) builder.send(PowerOfTwo::other(rank), kOutput);
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
