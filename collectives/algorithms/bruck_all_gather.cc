// Bruck's all-gather: what a rank has doubles with every step, at any world size.
//
// Phase 1: each rank puts its own row in its place in the output (nothing to do in place).
// Phase 2: ceil(log2 p) steps, over distances 1, 2, 4, ... Before the step of distance d a rank has
// the d rows from its own on (round the ring); it sends them to the rank d before it and receives
// the next d from the rank d after it. The last step, in a world that is no power of two, moves
// only the rows that are missing. Rows have their places in the output, so nothing has to be
// rotated at the end. In small worlds of a power of two "after" and "before" are one rank (hops.h):
// recursive doubling.
//
// Rows are messages of their own. Between hosts a step's go out before any is waited for, so that a
// step takes the time of one message; where memory is shared, two at a time (rows_at_once).
//
// Cost: ceil(log2 p) alpha and p - 1 messages + (p-1)/p * output bytes * beta. Where memory is
// shared, p/2 alpha.
// Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal and D. Weathersby, "Efficient algorithms for
// all-to-all communications in multiport message-passing systems", IEEE TPDS 8 (1997).

#include "collectives/algorithms/bruck_all_gather.h"

#include <algorithm>
#include <utility>

#include "collectives/algorithms/hops.h"
#include "collectives/algorithms/row_exchange.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

schedule::RankSchedule bruck_all_gather(const schedule::Request& request) {
  const int world = request.world;
  const Rank rank = request.rank;
  const auto row_after = [&](int distance) {
    return Slice{BufferRole::kOutput, static_cast<std::uint32_t>(hop_to(rank, distance, world))};
  };
  schedule::Builder builder(request);
  builder.copy({BufferRole::kInput, static_cast<std::uint32_t>(rank)}, row_after(0));
  for (int distance = 1; distance < world; distance *= 2) {
    exchange_rows(
        request, static_cast<std::size_t>(std::min(distance, world - distance)),
        [&](int row) { builder.send(hop_from(rank, distance, world), row_after(row)); },
        [&](int row) { builder.recv(hop_to(rank, distance, world), row_after(distance + row)); });
  }
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
