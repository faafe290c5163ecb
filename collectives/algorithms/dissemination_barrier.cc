// Dissemination barrier: messages of no bytes.
//
// In round k every rank tells the rank 2^k further on that it has come, and waits to hear from the
// rank 2^k before it. What a rank knows doubles with every round, so after ceil(log2 p) rounds it
// has heard, directly or not, from everybody.
//
// Cost: ceil(log2 p) alpha.
// Source: D. Hensgen, R. Finkel and U. Manber, "Two algorithms for barrier synchronization",
// IJPP 17 (1988).

#include "collectives/algorithms/dissemination_barrier.h"

#include <utility>

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;

Rank barrier_target(Rank rank, int distance, int world) { return (rank + distance) % world; }

Rank barrier_source(Rank rank, int distance, int world) {
  return (rank + world - distance) % world;
}

schedule::RankSchedule dissemination_barrier(const schedule::Request& request) {
  schedule::Builder builder(request);
  for (int distance = 1; distance < request.world; distance *= 2) {
    builder.send(barrier_target(request.rank, distance, request.world), {BufferRole::kInput, 0});
    builder.recv(barrier_source(request.rank, distance, request.world), {BufferRole::kOutput, 0});
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
