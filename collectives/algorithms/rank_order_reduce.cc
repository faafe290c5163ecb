#include "collectives/algorithms/rank_order_reduce.h"

#include <numeric>
#include <vector>

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

void rank_order_reduce(schedule::Builder& builder, const Contributors& contributors,
                       std::uint32_t row, Slice target) {
  const std::span<const Rank> ranks = contributors.ranks;
  const Slice own{BufferRole::kInput, row};
  const bool starts_with_own = contributors.own == ranks.front();
  const bool needs_scratch = !starts_with_own || ranks.size() > 2;
  const Slice partial = needs_scratch ? builder.scratch(row) : own;
  if (!starts_with_own) builder.recv(ranks.front(), partial);
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    const Slice so_far = starts_with_own && i == 1 ? own : partial;
    const bool last = i + 1 == ranks.size();
    const bool final = last && contributors.are_all;
    const Slice sum = last ? target : partial;
    if (ranks[i] == contributors.own) {
      builder.reduce(so_far, own, sum, final);
    } else {
      builder.recv_reduce(ranks[i], so_far, sum, final);
    }
  }
}

void rank_order_reduce(schedule::Builder& builder, const schedule::Request& request,
                       std::uint32_t row, Slice target) {
  std::vector<Rank> ranks(static_cast<std::size_t>(request.world));
  std::iota(ranks.begin(), ranks.end(), 0);
  rank_order_reduce(builder, {request.rank, ranks, true}, row, target);
}

}  // namespace rondo::algorithms
