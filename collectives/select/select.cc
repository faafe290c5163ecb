#include "collectives/select/select.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/select/cost_terms.h"

namespace rondo::select {
namespace {

using schedule::Collective;

double cost_us(double steps, double volume, std::size_t bytes, const LinkCost& link) {
  return steps * link.alpha_us + volume * static_cast<double>(bytes) * link.beta_us_per_byte;
}

}  // namespace

bool allows(const Demands& demands, const algorithms::Algorithm& algorithm) {
  if (demands.rows == Demands::Rows::kOwn && algorithm.relays) return false;
  return demands.order == Demands::Order::kAny || !schedule::reduces(algorithm.collective) ||
         algorithm.keeps_rank_order;
}

LinkCost default_link_cost(const Layout& layout) {
  if (layout.one_host) return {1.0, 1.0 / 13000};
  return {15.0, 1.0 / 2500};
}

std::size_t default_segment_bytes(const Layout& layout) {
  return (layout.one_host ? std::size_t{64} : std::size_t{256}) * 1024;
}

std::vector<Candidate> candidates(Collective collective, std::size_t bytes, const Layout& layout,
                                  const LinkCost& link, const Demands& demands) {
  LinkCost slowest = link;
  if (layout.hosts != nullptr && layout.hosts->links() != nullptr)
    slowest.beta_us_per_byte /= layout.hosts->links()->slowest();
  const LinkCost inside =
      layout.one_host ? link : default_link_cost({.world = layout.world, .one_host = true});
  std::vector<Candidate> list;
  for (const algorithms::Algorithm& algorithm : algorithms::all()) {
    if (algorithm.collective != collective || !allows(demands, algorithm)) continue;
    const CostTerms terms = cost_terms(algorithm, layout, bytes);
    const double us = cost_us(terms.steps, terms.volume, bytes, slowest) +
                      cost_us(terms.steps_inside, terms.volume_inside, bytes, inside);
    list.push_back({&algorithm, us});
  }
  std::stable_sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) {
    return a.predicted_us < b.predicted_us;
  });
  return list;
}

Result<const algorithms::Algorithm*> forced_algorithm(Collective collective, std::string_view name,
                                                      const Demands& demands) {
  using Found = const algorithms::Algorithm*;
  if (name == "auto") return Found{nullptr};
  const Found wanted = algorithms::find(collective, name);
  if (wanted != nullptr) return allows(demands, *wanted) ? wanted : nullptr;
  std::vector<std::string_view> names = {"auto"};
  for (const algorithms::Algorithm& other : algorithms::all()) {
    if (other.name == name) return Found{nullptr};
    if (std::ranges::find(names, other.name) == names.end()) names.push_back(other.name);
  }
  // Memory that nobody has written may look like a name: the message stays one line.
  std::string shown(name);
  std::ranges::replace_if(
      shown, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return Status(
      ErrorCode::kInvalidArgument,
      fmt::format("there is no algorithm '{}'; there are: {}", shown, fmt::join(names, ", ")));
}

Result<const algorithms::Algorithm*> choose(Collective collective, std::size_t bytes,
                                            const Layout& layout, std::string_view forced,
                                            const Demands& demands) {
  RONDO_ASSIGN(const algorithms::Algorithm* wanted, forced_algorithm(collective, forced, demands));
  if (wanted != nullptr) return wanted;
  const auto list = candidates(collective, bytes, layout, default_link_cost(layout), demands);
  if (list.empty()) {
    return Status(ErrorCode::kUnsupported,
                  fmt::format("no algorithm for {}", schedule::to_string(collective)));
  }
  return list.front().algorithm;
}

}  // namespace rondo::select
