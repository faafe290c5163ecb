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
  std::string_view name;
  CostTerms (*terms)(double p);
};

double log2_ceil(double p) { return std::ceil(std::log2(p)); }

// Volumes count what moves through one rank's link or, in shared memory, what one core reads and
// writes. The one-shot ranks all reduce everything: that work is in its volume.
constexpr NamedCost kCosts[] = {
    {"ring",
     [](double p) {
       return CostTerms{2 * (p - 1), 2 * (p - 1) / p};
     }},
    {"direct",
     [](double p) {
       return CostTerms{2 + (p - 2) / 4, 2 * (p - 1) / p};
     }},
    {"one_shot",
     [](double p) {
       return CostTerms{1 + (p - 2) / 4, 2 * (p - 1)};
     }},
    {"tree",
     [](double p) {
       return CostTerms{log2_ceil(p), 1};
     }},
    {"dissemination",
     [](double p) {
       return CostTerms{log2_ceil(p), 0};
     }},
};

CostTerms terms_of(std::string_view name, int world) {
  for (const NamedCost& cost : kCosts) {
    if (cost.name == name) return cost.terms(world);
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
    const CostTerms terms = terms_of(algorithm.name, layout.world);
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
