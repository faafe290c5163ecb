#include "tools/schedules_page/formulas.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace rondo::tool {
namespace {

double log2_floor(int p) { return std::bit_width(static_cast<unsigned>(p)) - 1; }
double log2_ceil(int p) { return std::bit_width(static_cast<unsigned>(p) - 1U); }
bool is_power(int p) { return std::has_single_bit(static_cast<unsigned>(p)); }

/// Where the formula says nothing.
constexpr double kNothingSaid = -1;
double log2_of_power(int p) { return is_power(p) ? log2_floor(p) : kNothingSaid; }
double twice_log2_of_power(int p) { return is_power(p) ? 2 * log2_floor(p) : kNothingSaid; }

double none(int) { return 0; }
double one(int) { return 1; }
double two(int) { return 2; }
double others(int p) { return p - 1; }
double twice_others(int p) { return 2 * (p - 1); }
double part(int p) { return (p - 1.0) / p; }
double twice_part(int p) { return 2 * part(p); }
double own_part(int p) { return 1.0 / p; }
double doubled(int p) { return log2_floor(p) + (is_power(p) ? 0 : 1); }
double halved(int p) {
  const int taking_part = 1 << static_cast<int>(log2_floor(p));
  return twice_part(taking_part) + (is_power(p) ? 0 : 1);
}
double two_trees(int p) { return 2 * log2_ceil(p); }
/// Hops of all rows of one rank, over distances that are powers of two.
double hops(int p) {
  int sum = 0;
  for (unsigned distance = 1; distance < static_cast<unsigned>(p); ++distance)
    sum += std::popcount(distance);
  return sum;
}
double hopping_part(int p) { return hops(p) / p; }

constexpr std::string_view kTwiceOthers = "2(p-1)";
constexpr std::string_view kTwicePart = "2(p-1)/p S";
constexpr std::string_view kPart = "(p-1)/p S";
/// As long as no step has more rows than go out at once (algorithms/row_exchange.h).
constexpr std::string_view kSteps = "ceil(log2 p)";

constexpr Formula kFormulas[] = {
    {"all_reduce", "ring", kTwiceOthers, twice_others, kTwicePart, twice_part},
    {"all_reduce", "bidirectional_ring", kTwiceOthers, twice_others, "2(p-1)/p S, half each way",
     twice_part},
    {"all_reduce", "neighbour_ring", kTwiceOthers, twice_others, kTwicePart, twice_part},
    {"all_reduce", "direct", "2", two, kTwicePart, twice_part},
    {"all_reduce", "weighted_direct", "*blocks + 1*", nullptr, "*2(p-1)/p S where links are alike*",
     nullptr},
    {"all_reduce", "one_shot", "1", one, "(p-1) S", others},
    {"all_reduce", "recursive_doubling", "log2(p) where p is a power of two", log2_of_power,
     "floor(log2 p) S, and S more where p is no power of two", doubled},
    {"all_reduce", "halving_doubling", "2 log2(p) where p is a power of two", twice_log2_of_power,
     "2(q-1)/q S, q the largest power of two in p, and S more where they differ", halved},
    {"all_reduce", "double_binary_tree", "2 ceil(log2 p)", two_trees, "*2 S at most*", nullptr},
    {"all_reduce", "hierarchical", "2h inside, 2(h-1) between h hosts", nullptr,
     "between hosts 2(h-1)/h S a host", twice_part},
    {"all_gather", "ring", "p-1", others, kPart, part},
    {"all_gather", "direct", "1", one, kPart, part},
    {"all_gather", "bruck", kSteps, log2_ceil, kPart, part},
    {"all_gather", "pat", kSteps, log2_ceil, kPart, part},
    {"all_gather", "hierarchical", "1 inside, h-1 between h hosts", others,
     "between hosts (h-1)/h S a host", part},
    {"all_gather", "neighbour_ring", "p-1", others, kPart, part},
    {"reduce_scatter", "ring", "p-1", others, kPart, part},
    {"reduce_scatter", "direct", "1", one, kPart, part},
    {"reduce_scatter", "pat", kSteps, log2_ceil, kPart, part},
    {"reduce_scatter", "hierarchical", "1 inside, h-1 between h hosts", others,
     "between hosts (h-1)/h S a host", part},
    {"reduce_scatter", "neighbour_ring", "p-1", others, kPart, part},
    {"broadcast", "tree", "floor(log2 p)", log2_floor, "ceil(log2 p) S, the root", log2_ceil},
    {"broadcast", "linear", "1", one, "(p-1) S, the root", others},
    {"broadcast", "hierarchical",
     "1 inside, between h hosts floor(log2 h), or h-1 in a chain for large data", nullptr,
     "between hosts ceil(log2 h) S, the root's host, or S in a chain", nullptr},
    {"reduce", "direct", "2", two, "S", one},
    {"reduce", "tree", "floor(log2 p)", log2_floor, "S", one},
    {"reduce", "linear", "1", one, "S", one},
    {"reduce", "hierarchical",
     "2 inside, between h hosts floor(log2 h), *or rows + h - 3 in a chain for large data*",
     nullptr, "between hosts S a host", one},
    {"gather", "linear", "1", one, "S/p", own_part},
    {"scatter", "linear", "1", one, "(p-1)/p S, the root", part},
    {"all_to_all", "pairwise", "p-1", others, kPart, part},
    {"all_to_all", "direct", "1", one, kPart, part},
    {"all_to_all", "bruck", kSteps, log2_ceil, "as many S/p: about log2(p)/2 S", hopping_part},
    {"barrier", "dissemination", "ceil(log2 p)", log2_ceil, "nothing", none},
    {"barrier", "direct", "1", one, "nothing", none},
};

constexpr std::size_t kSmallBytes = 1'680;

double rings_of_hosts(int h) { return 2 * h + 2 * (h - 1); }
double ring_of_hosts(int h) { return 1 + (h - 1); }
double down_a_tree(int h) { return 1 + log2_floor(h); }
double up_a_tree(int h) { return 2 + log2_floor(h); }

constexpr HostFormula kHostFormulas[] = {
    {"all_reduce", "hierarchical", kLargeBytes, rings_of_hosts, twice_part},
    {"all_gather", "hierarchical", kLargeBytes, ring_of_hosts, part},
    {"reduce_scatter", "hierarchical", kLargeBytes, ring_of_hosts, part},
    {"broadcast", "hierarchical", kLargeBytes, ring_of_hosts, one},
    {"broadcast", "hierarchical", kSmallBytes, down_a_tree, log2_ceil},
    {"reduce", "hierarchical", kLargeBytes, nullptr, one},
    {"reduce", "hierarchical", kSmallBytes, up_a_tree, one},
};

}  // namespace

std::span<const HostFormula> host_formulas() { return kHostFormulas; }

const Formula* formula_of(std::string_view collective, std::string_view algorithm) {
  const auto* const found = std::ranges::find_if(kFormulas, [&](const Formula& formula) {
    return formula.collective == collective && formula.algorithm == algorithm;
  });
  return found == std::end(kFormulas) ? nullptr : found;
}

}  // namespace rondo::tool
