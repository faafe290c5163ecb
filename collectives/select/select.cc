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
  CostTerms (*terms)(double p);
};

double log2_ceil(double p) { return std::ceil(std::log2(p)); }
/// Messages of several peers at once, taken in turn.
double one_step(double p) { return 1 + (p - 2) / 4; }

CostTerms around_the_ring(double p) { return {p - 1, (p - 1) / p}; }
CostTerms up_or_down_the_tree(double p) { return {log2_ceil(p), 1}; }
CostTerms root_with_everybody(double p) { return {one_step(p), (p - 1) / p}; }

// Volumes count what moves through one rank's link or, in shared memory, what one core reads and
// writes. Ranks that reduce everything themselves do more of that: it is in their volume.
constexpr NamedCost kCosts[] = {
    {Collective::kAllReduce, "ring",
     [](double p) {
       return CostTerms{2 * (p - 1), 2 * (p - 1) / p};
     }},
    {Collective::kAllReduce, "direct",
     [](double p) {
       return CostTerms{1 + one_step(p), 2 * (p - 1) / p};
     }},
    {Collective::kAllReduce, "one_shot",
     [](double p) {
       return CostTerms{one_step(p), 2 * (p - 1)};
     }},
    {Collective::kAllGather, "ring", around_the_ring},
    {Collective::kReduceScatter, "ring", around_the_ring},
    {Collective::kBroadcast, "tree", up_or_down_the_tree},
    {Collective::kReduce, "direct",
     [](double p) {
       return CostTerms{1 + one_step(p), 2 * (p - 1) / p};
     }},
    {Collective::kReduce, "tree",
     [](double p) {
       return CostTerms{log2_ceil(p), 1.5};
     }},
    {Collective::kReduce, "linear",
     [](double p) {
       return CostTerms{one_step(p), 1.5 * (p - 1)};
     }},
    {Collective::kGather, "linear", root_with_everybody},
    {Collective::kScatter, "linear", root_with_everybody},
    {Collective::kAllToAll, "pairwise", around_the_ring},
    {Collective::kBarrier, "dissemination",
     [](double p) {
       return CostTerms{log2_ceil(p), 0};
     }},
};

CostTerms terms_of(const algorithms::Algorithm& algorithm, int world) {
  for (const NamedCost& cost : kCosts) {
    if (cost.collective == algorithm.collective && cost.name == algorithm.name) {
      return cost.terms(world);
    }
  }
  return {2.0 * world, 2.0};
}

}  // namespace

LinkCost default_link_cost(const Layout& layout) {
  if (layout.one_host) return {1.0, 1.0 / 13000};
  return {15.0, 1.0 / 2500};
}

std::vector<Candidate> candidates(Collective collective, std::size_t bytes, const Layout& layout,
                                  const LinkCost& link) {
  std::vector<Candidate> list;
  for (const algorithms::Algorithm& algorithm : algorithms::all()) {
    if (algorithm.collective != collective) continue;
    const CostTerms terms = terms_of(algorithm, layout.world);
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
                                            const Layout& layout, std::string_view forced) {
  if (forced != "auto") {
    if (const auto* algorithm = algorithms::find(collective, forced)) return algorithm;
    std::string names = "auto";
    bool known = false;
    for (const algorithms::Algorithm& algorithm : algorithms::all()) {
      known |= algorithm.name == forced;
      if (names.find(algorithm.name) == std::string::npos) {
        names += fmt::format(", {}", algorithm.name);
      }
    }
    // A name that another collective has is no error: this one then chooses for itself.
    if (!known) {
      return Status(ErrorCode::kInvalidArgument,
                    fmt::format("there is no algorithm '{}'; there are: {}", forced, names));
    }
  }
  const auto list = candidates(collective, bytes, layout, default_link_cost(layout));
  if (list.empty()) {
    return Status(ErrorCode::kUnsupported,
                  fmt::format("no algorithm for {}", schedule::to_string(collective)));
  }
  return list.front().algorithm;
}

}  // namespace rondo::select
