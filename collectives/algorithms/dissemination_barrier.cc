// Dissemination barrier: messages of no bytes.
//
// In round k every rank tells the rank 2^k further on that it has come, and waits to hear from the
// rank 2^k before it. What a rank knows doubles with every round, so after ceil(log2 p) rounds it
// has heard, directly or not, from everybody.
//
// In small worlds of a power of two a round's two ranks tell each other (hops.h).
//
// Cost: ceil(log2 p) alpha.
// Source: D. Hensgen, R. Finkel and U. Manber, "Two algorithms for barrier synchronization",
// IJPP 17 (1988).

#include "collectives/algorithms/dissemination_barrier.h"

#include <utility>

#include "collectives/algorithms/hops.h"

namespace rondo::algorithms {

using schedule::BufferRole;

schedule::RankSchedule dissemination_barrier(const schedule::Request& request) {
  schedule::Builder builder(request);
  for (int distance = 1; distance < request.world; distance *= 2) {
    builder.send(hop_to(request.rank, distance, request.world), {BufferRole::kInput, 0});
    builder.recv(hop_from(request.rank, distance, request.world), {BufferRole::kOutput, 0});
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
