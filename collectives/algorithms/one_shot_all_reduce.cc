// One-shot all-reduce for a few elements: one exchange, every rank computes the whole result.
//
// Phase 1: every rank copies its input to scratch and sends the copy to all peers. The copy lets
// the result be stored in place while slow peers still read.
// Phase 2: every rank combines all contributions in rank order; the order is the same everywhere,
// and so are the bits.
//
// Cost: alpha + (p-1) * bytes * (beta + gamma).
// Source: folklore, for example the low-latency one-shot kernels of shared-memory and NVLink
// libraries; the rank order is ours.

#include "collectives/algorithms/one_shot_all_reduce.h"

#include <utility>

#include "collectives/algorithms/direct_all_reduce.h"
#include "collectives/algorithms/rank_order_reduce.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Slice;

schedule::RankSchedule one_shot_all_reduce(const schedule::Request& request) {
  schedule::Builder builder(request);
  const Slice input{BufferRole::kInput, 0};
  const Slice output{BufferRole::kOutput, 0};
  if (request.world == 1) {
    builder.copy(input, output);
    return std::move(builder).finish();
  }
  const Slice offered = builder.scratch(0);
  builder.copy(input, offered);
  for (int index = 0; index < request.world - 1; ++index) {
    builder.send(direct_peer(request.rank, index, request.world), offered);
  }
  rank_order_reduce(builder, request, 0, output);
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
