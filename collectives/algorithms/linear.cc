// Linear broadcast, reduce, gather and scatter: one step, the root talks to every other rank.
//
// Broadcast: in shared memory all ranks read the root's memory at once; between hosts everything
// crosses the root's link p-1 times, which only a few bytes are worth.
// Gather and scatter: each row crosses one link once, which no tree betters in bytes; a tree sends
// fewer messages through the root, and every other byte more than once.
// Reduce: the root combines all inputs in rank order, in one sweep; for a few elements.
//
// Cost: alpha (p-1 messages at once at the root) + (p-1)/p * bytes * beta for gather and scatter
//       (bytes: of all ranks), (p-1) * bytes * (beta + gamma) for reduce, bytes * beta for
//       broadcast in shared memory and (p-1) times that between hosts.
// Source: the basic linear algorithms of MPI libraries; the rank order is ours.

#include "collectives/algorithms/linear.h"

#include <utility>

#include "collectives/algorithms/direct_all_reduce.h"
#include "collectives/algorithms/rank_order_reduce.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;

schedule::RankSchedule linear_broadcast(const schedule::Request& request) {
  schedule::Builder builder(request);
  const schedule::Slice output{BufferRole::kOutput, 0};
  if (request.rank != request.root) {
    builder.recv(request.root, output);
    return std::move(builder).finish();
  }
  builder.copy({BufferRole::kInput, 0}, output);
  for (int index = 0; index < request.world - 1; ++index) {
    builder.send(direct_peer(request.rank, index, request.world), output);
  }
  return std::move(builder).finish();
}

schedule::RankSchedule linear_reduce(const schedule::Request& request) {
  schedule::Builder builder(request);
  if (request.world == 1) {
    builder.copy({BufferRole::kInput, 0}, {BufferRole::kOutput, 0});
  } else if (request.rank == request.root) {
    rank_order_reduce(builder, request, 0, {BufferRole::kOutput, 0});
  } else {
    builder.send(request.root, {BufferRole::kInput, 0});
  }
  return std::move(builder).finish();
}

schedule::RankSchedule linear_gather(const schedule::Request& request) {
  schedule::Builder builder(request);
  const auto own_row = static_cast<std::uint32_t>(request.rank);
  if (request.rank != request.root) {
    builder.send(request.root, {BufferRole::kInput, own_row});
    return std::move(builder).finish();
  }
  builder.copy({BufferRole::kInput, own_row}, {BufferRole::kOutput, own_row});
  for (int index = 0; index < request.world - 1; ++index) {
    const Rank peer = direct_peer(request.rank, index, request.world);
    builder.recv(peer, {BufferRole::kOutput, static_cast<std::uint32_t>(peer)});
  }
  return std::move(builder).finish();
}

schedule::RankSchedule linear_scatter(const schedule::Request& request) {
  schedule::Builder builder(request);
  const auto own_row = static_cast<std::uint32_t>(request.rank);
  if (request.rank != request.root) {
    builder.recv(request.root, {BufferRole::kOutput, own_row});
    return std::move(builder).finish();
  }
  for (int index = 0; index < request.world - 1; ++index) {
    const Rank peer = direct_peer(request.rank, index, request.world);
    builder.send(peer, {BufferRole::kInput, static_cast<std::uint32_t>(peer)});
  }
  builder.copy({BufferRole::kInput, own_row}, {BufferRole::kOutput, own_row});
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
