#include "collectives/select/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rondo::select {
namespace {

using schedule::Collective;

/// steps * alpha + volume * bytes * beta.
struct CostTerms {
  double steps = 0;
  double volume = 0;
};

struct NamedCost {
  Collective collective;
  std::string_view name;
  CostTerms (*terms)(double p, bool one_host);
};

double log2_ceil(double p) { return std::ceil(std::log2(p)); }
/// Messages of several peers at once, taken in turn.
double one_step(double p) { return 1 + (p - 2) / 4; }
/// What algorithms by the bits of ranks' numbers add where the world is no power of two.
double guests(double p) { return std::exp2(std::floor(std::log2(p))) == p ? 0 : 2; }

CostTerms around_the_ring(double p, bool) { return {p - 1, (p - 1) / p}; }
CostTerms twice_around_the_ring(double p, bool) { return {2 * (p - 1), 2 * (p - 1) / p}; }
CostTerms exchange(double p, bool) { return {one_step(p), (p - 1) / p}; }
CostTerms exchange_twice(double p, bool) { return {1 + one_step(p), 2 * (p - 1) / p}; }
CostTerms down_the_tree(double p, bool) { return {log2_ceil(p), 1}; }
// A rank of the tree reads what it adds to and writes the sum.
CostTerms up_the_tree(double p, bool) { return {log2_ceil(p), 1.5}; }
CostTerms dissemination(double p, bool) { return {log2_ceil(p), 0}; }
// The ranks all reduce everything themselves.
CostTerms one_shot(double p, bool) { return {one_step(p), 2 * (p - 1)}; }
CostTerms all_to_the_root(double p, bool) { return {one_step(p), 1.5 * (p - 1)}; }
// In shared memory they all read the same memory at once.
CostTerms root_to_all(double p, bool one_host) { return {one_step(p), one_host ? 1 : p - 1}; }
CostTerms recursive_doubling(double p, bool) {
  const double steps = std::floor(std::log2(p)) + guests(p);
  return {steps, 2 * steps};
}
CostTerms halving_doubling(double p, bool) {
  return {2 * std::floor(std::log2(p)) + guests(p), 2 * (p - 1) / p + guests(p)};
}

// Volumes count what moves through one rank's link or, in shared memory, what one core reads and
// writes.
constexpr NamedCost kCosts[] = {
    {Collective::kAllReduce, "ring", twice_around_the_ring},
    {Collective::kAllReduce, "bidirectional_ring", twice_around_the_ring},
    {Collective::kAllReduce, "direct", exchange_twice},
    {Collective::kAllReduce, "one_shot", one_shot},
    {Collective::kAllReduce, "recursive_doubling", recursive_doubling},
    {Collective::kAllReduce, "halving_doubling", halving_doubling},
    {Collective::kAllGather, "ring", around_the_ring},
    {Collective::kAllGather, "direct", exchange},
    {Collective::kReduceScatter, "ring", around_the_ring},
    {Collective::kReduceScatter, "direct", exchange},
    {Collective::kBroadcast, "tree", down_the_tree},
    {Collective::kBroadcast, "linear", root_to_all},
    {Collective::kReduce, "direct", exchange_twice},
    {Collective::kReduce, "tree", up_the_tree},
    {Collective::kReduce, "linear", all_to_the_root},
    {Collective::kGather, "linear", exchange},
    {Collective::kScatter, "linear", exchange},
    {Collective::kAllToAll, "pairwise", around_the_ring},
    {Collective::kBarrier, "dissemination", dissemination},
};

CostTerms terms_of(const algorithms::Algorithm& algorithm, const Layout& layout) {
  for (const NamedCost& cost : kCosts) {
    if (cost.collective == algorithm.collective && cost.name == algorithm.name) {
      return cost.terms(layout.world, layout.one_host);
    }
  }
  return {2.0 * layout.world, 2.0};
}

bool allows(Order order, const algorithms::Algorithm& algorithm) {
  return order == Order::kAny || !schedule::reduces(algorithm.collective) ||
         algorithm.keeps_rank_order;
}

}  // namespace

LinkCost default_link_cost(const Layout& layout) {
  if (layout.one_host) return {1.0, 1.0 / 13000};
  return {15.0, 1.0 / 2500};
}

std::vector<Candidate> candidates(Collective collective, std::size_t bytes, const Layout& layout,
                                  const LinkCost& link, Order order) {
  std::vector<Candidate> list;
  for (const algorithms::Algorithm& algorithm : algorithms::all()) {
    if (algorithm.collective != collective || !allows(order, algorithm)) continue;
    const CostTerms terms = terms_of(algorithm, layout);
    const double us = terms.steps * link.alpha_us +
                      terms.volume * static_cast<double>(bytes) * link.beta_us_per_byte;
    list.push_back({&algorithm, us});
  }
  std::stable_sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) {
    return a.predicted_us < b.predicted_us;
  });
  return list;
}

Result<const algorithms::Algorithm*> choose(Collective collective, std::size_t bytes,
                                            const Layout& layout, std::string_view forced,
                                            Order order) {
  if (forced != "auto") {
    const auto* wanted = algorithms::find(collective, forced);
    if (wanted != nullptr && allows(order, *wanted)) return wanted;
    std::string names = "auto";
    bool known = false;
    for (const algorithms::Algorithm& algorithm : algorithms::all()) {
      known |= algorithm.name == forced;
      if (names.find(algorithm.name) == std::string::npos) {
        names += fmt::format(", {}", algorithm.name);
      }
    }
    // A name that another collective has, or whose order won't do, is no error: this call then
    // chooses for itself.
    if (!known) {
      return Status(ErrorCode::kInvalidArgument,
                    fmt::format("there is no algorithm '{}'; there are: {}", forced, names));
    }
  }
  const auto list = candidates(collective, bytes, layout, default_link_cost(layout), order);
  if (list.empty()) {
    return Status(ErrorCode::kUnsupported,
                  fmt::format("no algorithm for {}", schedule::to_string(collective)));
  }
  return list.front().algorithm;
}

}  // namespace rondo::select
