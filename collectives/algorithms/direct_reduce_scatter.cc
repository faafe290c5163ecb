// Direct reduce-scatter: one step, every rank talks to every other rank. Made for shared memory,
// where a message is a read of the peer's buffer.
//
// Every rank offers row k of its input to rank k and combines all contributions to its own row in
// rank order; the fusing pass joins that into one sweep over all ranks' memory.
//
// Cost: alpha (p-1 messages at once) + (p-1)/p * input bytes * (beta + gamma).
// Source: the first half of direct_all_reduce.cc.

#include "collectives/algorithms/direct_reduce_scatter.h"

#include <utility>

#include "collectives/algorithms/direct_all_reduce.h"
#include "collectives/algorithms/rank_order_reduce.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;

schedule::RankSchedule direct_reduce_scatter(const schedule::Request& request) {
  const int world = request.world;
  const auto own_row = static_cast<std::uint32_t>(request.rank);
  schedule::Builder builder(request);
  if (world == 1) {
    builder.copy({BufferRole::kInput, 0}, {BufferRole::kOutput, 0});
    return std::move(builder).finish();
  }
  for (int index = 0; index < world - 1; ++index) {
    const Rank owner = direct_peer(request.rank, index, world);
    builder.send(owner, {BufferRole::kInput, static_cast<std::uint32_t>(owner)});
  }
  rank_order_reduce(builder, request, own_row, {BufferRole::kOutput, own_row});
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
