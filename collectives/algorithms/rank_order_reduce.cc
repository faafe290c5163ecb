#include "collectives/algorithms/rank_order_reduce.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

void rank_order_reduce(schedule::Builder& builder, const schedule::Request& request,
                       std::uint32_t row, Slice target) {
  const Slice own{BufferRole::kInput, row};
  const bool starts_with_own = request.rank == 0;
  const bool needs_scratch = !starts_with_own || request.world > 2;
  const Slice partial = needs_scratch ? builder.scratch(row) : own;
  if (!starts_with_own) builder.recv(0, partial);
  for (Rank contributor = 1; contributor < request.world; ++contributor) {
    const Slice so_far = starts_with_own && contributor == 1 ? own : partial;
    const bool last = contributor == request.world - 1;
    const Slice sum = last ? target : partial;
    if (contributor == request.rank) {
      builder.reduce(so_far, own, sum, last);
    } else {
      builder.recv_reduce(contributor, so_far, sum, last);
    }
  }
}

}  // namespace rondo::algorithms
