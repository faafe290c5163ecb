#include "collectives/algorithms/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "collectives/algorithms/bidirectional_ring_all_reduce.h"
#include "collectives/algorithms/bruck_all_gather.h"
#include "collectives/algorithms/bruck_all_to_all.h"
#include "collectives/algorithms/direct_all_gather.h"
#include "collectives/algorithms/direct_all_reduce.h"
#include "collectives/algorithms/direct_all_to_all.h"
#include "collectives/algorithms/direct_barrier.h"
#include "collectives/algorithms/direct_reduce.h"
#include "collectives/algorithms/direct_reduce_scatter.h"
#include "collectives/algorithms/dissemination_barrier.h"
#include "collectives/algorithms/double_binary_tree_all_reduce.h"
#include "collectives/algorithms/halving_doubling_all_reduce.h"
#include "collectives/algorithms/hierarchical_all_gather.h"
#include "collectives/algorithms/hierarchical_all_reduce.h"
#include "collectives/algorithms/hierarchical_broadcast.h"
#include "collectives/algorithms/hierarchical_reduce.h"
#include "collectives/algorithms/hierarchical_reduce_scatter.h"
#include "collectives/algorithms/linear.h"
#include "collectives/algorithms/neighbour_ring_all_gather.h"
#include "collectives/algorithms/neighbour_ring_all_reduce.h"
#include "collectives/algorithms/neighbour_ring_reduce_scatter.h"
#include "collectives/algorithms/one_shot_all_reduce.h"
#include "collectives/algorithms/pairwise_all_to_all.h"
#include "collectives/algorithms/pat_all_gather.h"
#include "collectives/algorithms/pat_reduce_scatter.h"
#include "collectives/algorithms/power_of_two.h"
#include "collectives/algorithms/recursive_doubling_all_reduce.h"
#include "collectives/algorithms/ring_all_gather.h"
#include "collectives/algorithms/ring_all_reduce.h"
#include "collectives/algorithms/ring_reduce_scatter.h"
#include "collectives/algorithms/tree_broadcast.h"
#include "collectives/algorithms/tree_reduce.h"
#include "collectives/algorithms/weighted_direct_all_reduce.h"

namespace rondo::algorithms {
namespace {

using schedule::Collective;

using schedule::Request;

std::uint32_t one_row_per_rank(const Request& request, std::size_t) {
  return static_cast<std::uint32_t>(request.world);
}
std::uint32_t one_row(const Request&, std::size_t) { return 1; }
std::uint32_t two_rows_per_rank(const Request& request, std::size_t) {
  return 2 * one_row_per_rank(request, 0);
}
std::uint32_t one_row_per_power_of_two(const Request& request, std::size_t) {
  return static_cast<std::uint32_t>(PowerOfTwo(request.world).size());
}
std::uint32_t one_row_per_pair(const Request& request, std::size_t) {
  return schedule::rows_of_ranks(request.world, request.world);
}
std::uint32_t rows_of_tree(const Request& request, std::size_t count) {
  return tree_broadcast_rows(request.world, count);
}
std::uint32_t rows_of_two_trees(const Request& request, std::size_t count) {
  return double_binary_tree_rows(request.world, count);
}
std::uint32_t rows_of_hierarchy(const Request& request, std::size_t) {
  return hierarchical_rows(request);
}

constexpr std::array kAlgorithms = {
    Algorithm{"ring", Collective::kAllReduce, ring_all_reduce, one_row_per_rank,
              "2(p-1) steps between neighbours; 2(p-1)/p of the bytes, the least possible"},
    Algorithm{"direct", Collective::kAllReduce, direct_all_reduce, one_row_per_rank,
              "2 steps, all pairs; each rank sums one row in rank order; for shared memory", false,
              LayoutUse::kNone, true},
    Algorithm{"one_shot", Collective::kAllReduce, one_shot_all_reduce, one_row,
              "1 step, all pairs; every rank sums everything in rank order; for a few elements",
              false, LayoutUse::kNone, true},
    Algorithm{"recursive_doubling", Collective::kAllReduce, recursive_doubling_all_reduce, one_row,
              "log2(p) steps of everything; for a few elements between hosts"},
    Algorithm{"halving_doubling", Collective::kAllReduce, halving_doubling_all_reduce,
              one_row_per_power_of_two,
              "2 log2(p) steps (Rabenseifner); the bytes of the ring where p is a power of two",
              false, LayoutUse::kSharing},
    Algorithm{"bidirectional_ring", Collective::kAllReduce, bidirectional_ring_all_reduce,
              two_rows_per_rank, "a ring each way, with half of the data each"},
    Algorithm{"double_binary_tree", Collective::kAllReduce, double_binary_tree_all_reduce,
              rows_of_two_trees,
              "two trees with half of the data each; the ring's bytes in logarithmic steps"},
    Algorithm{"hierarchical", Collective::kAllReduce, hierarchical_all_reduce, rows_of_hierarchy,
              "direct inside hosts, rings between them; a host's link carries its share once",
              false, LayoutUse::kHosts},
    Algorithm{"neighbour_ring", Collective::kAllReduce, neighbour_ring_all_reduce, one_row_per_rank,
              "the ring in the order of the layout: same-host ranks are neighbours", false,
              LayoutUse::kHosts},
    Algorithm{"weighted_direct", Collective::kAllReduce, weighted_direct_all_reduce,
              weighted_direct_rows,
              "direct in blocks; ranks with slow links own less; for links of unequal speeds",
              false, LayoutUse::kNone, true, weighted_direct_counts},
    Algorithm{"direct", Collective::kAllGather, direct_all_gather, one_row_per_rank,
              "1 step, all pairs; for shared memory"},
    Algorithm{"direct", Collective::kReduceScatter, direct_reduce_scatter, one_row_per_rank,
              "1 step, all pairs; each rank sums its row in rank order; for shared memory", false,
              LayoutUse::kNone, true},
    Algorithm{"ring", Collective::kAllGather, ring_all_gather, one_row_per_rank,
              "p-1 steps between neighbours; (p-1)/p of the bytes, the least possible"},
    Algorithm{"bruck", Collective::kAllGather, bruck_all_gather, one_row_per_rank,
              "ceil(log2 p) steps between as many peers; (p-1)/p of the bytes", false,
              LayoutUse::kSharing},
    Algorithm{"ring", Collective::kReduceScatter, ring_reduce_scatter, one_row_per_rank,
              "p-1 steps between neighbours; (p-1)/p of the bytes, the least possible"},
    Algorithm{"pat", Collective::kAllGather, pat_all_gather, one_row_per_rank,
              "ceil(log2 p) steps, far links first and with one row; (p-1)/p of the bytes", false,
              LayoutUse::kSharing},
    Algorithm{"pat", Collective::kReduceScatter, pat_reduce_scatter, one_row_per_rank,
              "ceil(log2 p) steps, far links last and with one row; (p-1)/p of the bytes", false,
              LayoutUse::kSharing},
    Algorithm{"hierarchical", Collective::kAllGather, hierarchical_all_gather, one_row_per_rank,
              "rings between hosts, direct inside them; each byte enters a host once", false,
              LayoutUse::kHosts},
    Algorithm{"hierarchical", Collective::kReduceScatter, hierarchical_reduce_scatter,
              one_row_per_rank,
              "direct inside hosts, rings between them; one sum of each row leaves a host", false,
              LayoutUse::kHosts},
    Algorithm{"neighbour_ring", Collective::kAllGather, neighbour_ring_all_gather, one_row_per_rank,
              "the ring in the order of the layout: same-host ranks are neighbours", false,
              LayoutUse::kHosts},
    Algorithm{"neighbour_ring", Collective::kReduceScatter, neighbour_ring_reduce_scatter,
              one_row_per_rank,
              "the ring in the order of the layout: same-host ranks are neighbours", false,
              LayoutUse::kHosts},
    Algorithm{"tree", Collective::kBroadcast, tree_broadcast, rows_of_tree,
              "binomial tree, ceil(log2 p) steps, in rows where the data is large"},
    Algorithm{"linear", Collective::kBroadcast, linear_broadcast, one_row,
              "1 step, the root to all ranks at once; for shared memory"},
    Algorithm{
        "hierarchical", Collective::kBroadcast, hierarchical_broadcast, hierarchical_broadcast_rows,
        "a tree or a chain of the hosts, then the ranks of each at once", false, LayoutUse::kHosts},
    Algorithm{"direct", Collective::kReduce, direct_reduce, one_row_per_rank,
              "2 steps; each rank sums one row in rank order and hands it to the root", false,
              LayoutUse::kNone, true},
    Algorithm{"tree", Collective::kReduce, tree_reduce, rows_of_tree,
              "binomial tree, ceil(log2 p) steps, in rows where the data is large"},
    Algorithm{"linear", Collective::kReduce, linear_reduce, one_row,
              "1 step; the root sums everything in rank order; for a few elements", false,
              LayoutUse::kNone, true},
    Algorithm{"hierarchical", Collective::kReduce, hierarchical_reduce, hierarchical_reduce_rows,
              "direct inside hosts, then a tree or a chain of them; one sum leaves a host", false,
              LayoutUse::kHosts},
    Algorithm{"linear", Collective::kGather, linear_gather, one_row_per_rank,
              "1 step, all ranks to the root; (p-1)/p of the bytes, the least possible"},
    Algorithm{"linear", Collective::kScatter, linear_scatter, one_row_per_rank,
              "1 step, the root to all ranks; (p-1)/p of the bytes, the least possible"},
    Algorithm{"pairwise", Collective::kAllToAll, pairwise_all_to_all, one_row_per_pair,
              "p-1 steps, in each every rank sends to another; each byte crosses one link"},
    Algorithm{"direct", Collective::kAllToAll, direct_all_to_all, one_row_per_pair,
              "1 step, all pairs at once; each byte crosses one link"},
    Algorithm{"bruck", Collective::kAllToAll, bruck_all_to_all, one_row_per_pair,
              "ceil(log2 p) steps between as many peers, each of half of the bytes", true,
              LayoutUse::kSharing},
    Algorithm{"dissemination", Collective::kBarrier, dissemination_barrier, one_row,
              "ceil(log2 p) rounds of empty messages"},
    Algorithm{"direct", Collective::kBarrier, direct_barrier, one_row,
              "1 step of empty messages, all pairs; where ranks share cores"},
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

Status check_rows(const Algorithm& algorithm, const Request& request) {
  if (request.rows != schedule::kTooManyRows) return {};
  return {ErrorCode::kUnsupported,
          fmt::format("{} of {} ranks by {} has too many rows: they are numbered in 32 bits",
                      to_string(algorithm.collective), request.world, algorithm.name)};
}

}  // namespace rondo::algorithms
