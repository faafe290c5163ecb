#include "collectives/algorithms/registry.h"

#include <algorithm>
#include <array>

#include "collectives/algorithms/bidirectional_ring_all_reduce.h"
#include "collectives/algorithms/direct_all_gather.h"
#include "collectives/algorithms/direct_all_reduce.h"
#include "collectives/algorithms/direct_reduce.h"
#include "collectives/algorithms/direct_reduce_scatter.h"
#include "collectives/algorithms/dissemination_barrier.h"
#include "collectives/algorithms/halving_doubling_all_reduce.h"
#include "collectives/algorithms/linear.h"
#include "collectives/algorithms/one_shot_all_reduce.h"
#include "collectives/algorithms/pairwise_all_to_all.h"
#include "collectives/algorithms/power_of_two.h"
#include "collectives/algorithms/recursive_doubling_all_reduce.h"
#include "collectives/algorithms/ring_all_gather.h"
#include "collectives/algorithms/ring_all_reduce.h"
#include "collectives/algorithms/ring_reduce_scatter.h"
#include "collectives/algorithms/tree_broadcast.h"
#include "collectives/algorithms/tree_reduce.h"

namespace rondo::algorithms {
namespace {

using schedule::Collective;

std::uint32_t one_row_per_rank(int world, std::size_t) { return static_cast<std::uint32_t>(world); }
std::uint32_t one_row(int, std::size_t) { return 1; }
std::uint32_t two_rows_per_rank(int world, std::size_t) { return 2 * one_row_per_rank(world, 0); }
std::uint32_t one_row_per_power_of_two(int world, std::size_t) {
  return static_cast<std::uint32_t>(PowerOfTwo(world).size());
}
std::uint32_t one_row_per_pair(int world, std::size_t) {
  return one_row_per_rank(world, 0) * one_row_per_rank(world, 0);
}

constexpr std::array kAlgorithms = {
    Algorithm{"ring", Collective::kAllReduce, ring_all_reduce, one_row_per_rank,
              "2(p-1) steps between neighbours; 2(p-1)/p of the bytes, the least possible"},
    Algorithm{"direct", Collective::kAllReduce, direct_all_reduce, one_row_per_rank,
              "2 steps, all pairs; each rank sums one row in rank order; for shared memory", true},
    Algorithm{"one_shot", Collective::kAllReduce, one_shot_all_reduce, one_row,
              "1 step, all pairs; every rank sums everything in rank order; for a few elements",
              true},
    Algorithm{"recursive_doubling", Collective::kAllReduce, recursive_doubling_all_reduce, one_row,
              "log2(p) steps of everything; for a few elements between hosts"},
    Algorithm{"halving_doubling", Collective::kAllReduce, halving_doubling_all_reduce,
              one_row_per_power_of_two,
              "2 log2(p) steps (Rabenseifner); the bytes of the ring where p is a power of two"},
    Algorithm{"bidirectional_ring", Collective::kAllReduce, bidirectional_ring_all_reduce,
              two_rows_per_rank, "a ring each way, with half of the data each"},
    Algorithm{"direct", Collective::kAllGather, direct_all_gather, one_row_per_rank,
              "1 step, all pairs; for shared memory"},
    Algorithm{"direct", Collective::kReduceScatter, direct_reduce_scatter, one_row_per_rank,
              "1 step, all pairs; each rank sums its row in rank order; for shared memory", true},
    Algorithm{"ring", Collective::kAllGather, ring_all_gather, one_row_per_rank,
              "p-1 steps between neighbours; (p-1)/p of the bytes, the least possible"},
    Algorithm{"ring", Collective::kReduceScatter, ring_reduce_scatter, one_row_per_rank,
              "p-1 steps between neighbours; (p-1)/p of the bytes, the least possible"},
    Algorithm{"tree", Collective::kBroadcast, tree_broadcast, tree_broadcast_rows,
              "binomial tree, ceil(log2 p) steps, in rows where the data is large"},
    Algorithm{"linear", Collective::kBroadcast, linear_broadcast, one_row,
              "1 step, the root to all ranks at once; for shared memory"},
    Algorithm{"direct", Collective::kReduce, direct_reduce, one_row_per_rank,
              "2 steps; each rank sums one row in rank order and hands it to the root", true},
    Algorithm{"tree", Collective::kReduce, tree_reduce, tree_broadcast_rows,
              "binomial tree, ceil(log2 p) steps, in rows where the data is large"},
    Algorithm{"linear", Collective::kReduce, linear_reduce, one_row,
              "1 step; the root sums everything in rank order; for a few elements", true},
    Algorithm{"linear", Collective::kGather, linear_gather, one_row_per_rank,
              "1 step, all ranks to the root; (p-1)/p of the bytes, the least possible"},
    Algorithm{"linear", Collective::kScatter, linear_scatter, one_row_per_rank,
              "1 step, the root to all ranks; (p-1)/p of the bytes, the least possible"},
    Algorithm{"pairwise", Collective::kAllToAll, pairwise_all_to_all, one_row_per_pair,
              "p-1 steps, in each every rank sends to another; each byte crosses one link"},
    Algorithm{"dissemination", Collective::kBarrier, dissemination_barrier, one_row,
              "ceil(log2 p) rounds of empty messages"},
};

}  // namespace

std::span<const Algorithm> all() { return kAlgorithms; }

const Algorithm* find(Collective collective, std::string_view name) {
  const auto found =
      std::find_if(kAlgorithms.begin(), kAlgorithms.end(), [&](const Algorithm& algorithm) {
        return algorithm.collective == collective && algorithm.name == name;
      });
  return found == kAlgorithms.end() ? nullptr : &*found;
}

}  // namespace rondo::algorithms
