#include "collectives/select/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "collectives/algorithms/double_binary_tree_all_reduce.h"

namespace rondo::select {
namespace {

using schedule::Collective;

/// steps * alpha + volume * bytes * beta, and the same for links inside a host where an algorithm
/// treats those apart.
struct CostTerms {
  double steps = 0;
  double volume = 0;
  double steps_inside = 0;
  double volume_inside = 0;
};

/// What besides the world's size a cost may depend on.
struct Setting {
  const Layout& layout;
  std::size_t bytes = 0;
};

struct NamedCost {
  Collective collective;
  std::string_view name;
  CostTerms (*terms)(double p, const Setting& setting);
};

double log2_ceil(double p) { return std::ceil(std::log2(p)); }
/// Messages of several peers at once, taken in turn.
double one_step(double p) { return 1 + (p - 2) / 4; }
/// What algorithms by the bits of ranks' numbers add where the world is no power of two.
double guests(double p) { return std::exp2(std::floor(std::log2(p))) == p ? 0 : 2; }

CostTerms around_the_ring(double p, const Setting&) { return {p - 1, (p - 1) / p}; }
CostTerms twice_around_the_ring(double p, const Setting&) { return {2 * (p - 1), 2 * (p - 1) / p}; }
/// The most streams that a host sends to others where every rank sends to the next of `order`.
double streams_between_hosts(const schedule::HostLayout& layout,
                             std::span<const schedule::Rank> order) {
  std::vector<int> streams(static_cast<std::size_t>(layout.hosts()), 0);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const int host = layout.host_of(order[place]);
    const int next = layout.host_of(order[(place + 1) % order.size()]);
    if (host != next) ++streams[static_cast<std::size_t>(host)];
  }
  return std::max(1, *std::max_element(streams.begin(), streams.end()));
}
CostTerms ring_by_rank(double p, const Setting& setting) {
  CostTerms terms = twice_around_the_ring(p, setting);
  if (setting.layout.hosts == nullptr) return terms;
  std::vector<schedule::Rank> order(static_cast<std::size_t>(p));
  std::iota(order.begin(), order.end(), 0);
  terms.volume *= streams_between_hosts(*setting.layout.hosts, order);
  return terms;
}
CostTerms ring_by_order(double p, const Setting& setting) {
  CostTerms terms = twice_around_the_ring(p, setting);
  const schedule::HostLayout* hosts = setting.layout.hosts;
  if (hosts != nullptr) terms.volume *= streams_between_hosts(*hosts, hosts->order());
  return terms;
}
CostTerms exchange(double p, const Setting&) { return {one_step(p), (p - 1) / p}; }
CostTerms exchange_twice(double p, const Setting&) { return {1 + one_step(p), 2 * (p - 1) / p}; }
CostTerms down_the_tree(double p, const Setting&) { return {log2_ceil(p), 1}; }
// A rank of the tree reads what it adds to and writes the sum.
CostTerms up_the_tree(double p, const Setting&) { return {log2_ceil(p), 1.5}; }
CostTerms dissemination(double p, const Setting&) { return {log2_ceil(p), 0}; }
// The ranks all reduce everything themselves.
CostTerms one_shot(double p, const Setting&) { return {one_step(p), 2 * (p - 1)}; }
CostTerms all_to_the_root(double p, const Setting&) { return {one_step(p), 1.5 * (p - 1)}; }
// In shared memory they all read the same memory at once.
CostTerms root_to_all(double p, const Setting& setting) {
  return {one_step(p), setting.layout.one_host ? 1 : p - 1};
}
CostTerms recursive_doubling(double p, const Setting&) {
  const double steps = std::floor(std::log2(p)) + guests(p);
  return {steps, 2 * steps};
}
CostTerms halving_doubling(double p, const Setting&) {
  return {2 * std::floor(std::log2(p)) + guests(p), 2 * (p - 1) / p + guests(p)};
}
// Up and down two trees at once; a parent takes its two children's messages one after the other,
// and so each level adds two rows' time to either phase.
CostTerms two_trees(double p, const Setting& setting) {
  const std::size_t count = setting.bytes / sizeof(float);
  const double rows = algorithms::double_binary_tree_rows(static_cast<int>(p), count);
  return {4 * log2_ceil(p), 2 + 4 * (log2_ceil(p) - 1) / rows};
}

/// Steps of several messages, of which all but the first are taken in turn.
double steps_of_messages(double steps, double messages) { return steps + (messages - steps) / 4; }
CostTerms gather_over_powers_of_two(double p, const Setting&) {
  return {steps_of_messages(log2_ceil(p), p - 1), (p - 1) / p};
}
CostTerms hop_over_powers_of_two(double p, const Setting&) {
  return {steps_of_messages(log2_ceil(p), p / 2 * log2_ceil(p)), log2_ceil(p) / 2};
}

int least_ranks(const schedule::HostLayout& layout) {
  int least = layout.world();
  for (int host = 0; host < layout.hosts(); ++host) {
    least = std::min(least, static_cast<int>(layout.ranks_of(host).size()));
  }
  return least;
}
// Between hosts the rank of the smallest host that owns most columns; inside one row for each host
// and owner in turn.
CostTerms inside_and_between(double p, const Setting& setting) {
  const schedule::HostLayout* hosts = setting.layout.hosts;
  if (hosts == nullptr || hosts->hosts() == 1) return exchange_twice(p, setting);
  const double h = hosts->hosts();
  const double columns = hosts->most_ranks();
  const double own_columns = std::ceil(columns / least_ranks(*hosts));
  CostTerms terms{2 * (h - 1), 2 * (h - 1) / h * own_columns / columns};
  if (columns == 1) return terms;
  terms.steps_inside = 1 + one_step(columns) + (h - 1) / 2;
  terms.volume_inside = 2 * (columns - 1) / columns;
  return terms;
}

// Volumes count what moves through one rank's link or, in shared memory, what one core reads and
// writes.
constexpr NamedCost kCosts[] = {
    {Collective::kAllReduce, "ring", ring_by_rank},
    {Collective::kAllReduce, "bidirectional_ring", ring_by_rank},
    {Collective::kAllReduce, "neighbour_ring", ring_by_order},
    {Collective::kAllReduce, "direct", exchange_twice},
    {Collective::kAllReduce, "one_shot", one_shot},
    {Collective::kAllReduce, "recursive_doubling", recursive_doubling},
    {Collective::kAllReduce, "halving_doubling", halving_doubling},
    {Collective::kAllReduce, "double_binary_tree", two_trees},
    {Collective::kAllReduce, "hierarchical", inside_and_between},
    {Collective::kAllGather, "ring", around_the_ring},
    {Collective::kAllGather, "direct", exchange},
    {Collective::kAllGather, "bruck", gather_over_powers_of_two},
    {Collective::kAllGather, "pat", gather_over_powers_of_two},
    {Collective::kReduceScatter, "pat", gather_over_powers_of_two},
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
    {Collective::kAllToAll, "bruck", hop_over_powers_of_two},
    {Collective::kBarrier, "dissemination", dissemination},
};

CostTerms terms_of(const algorithms::Algorithm& algorithm, const Layout& layout,
                   std::size_t bytes) {
  for (const NamedCost& cost : kCosts) {
    if (cost.collective == algorithm.collective && cost.name == algorithm.name) {
      return cost.terms(layout.world, {layout, bytes});
    }
  }
  return {2.0 * layout.world, 2.0};
}

double cost_us(double steps, double volume, std::size_t bytes, const LinkCost& link) {
  return steps * link.alpha_us + volume * static_cast<double>(bytes) * link.beta_us_per_byte;
}

bool allows(const Demands& demands, const algorithms::Algorithm& algorithm) {
  if (demands.rows == Demands::Rows::kOwn && algorithm.relays) return false;
  return demands.order == Demands::Order::kAny || !schedule::reduces(algorithm.collective) ||
         algorithm.keeps_rank_order;
}

}  // namespace

LinkCost default_link_cost(const Layout& layout) {
  if (layout.one_host) return {1.0, 1.0 / 13000};
  return {15.0, 1.0 / 2500};
}

std::vector<Candidate> candidates(Collective collective, std::size_t bytes, const Layout& layout,
                                  const LinkCost& link, const Demands& demands) {
  const LinkCost inside =
      layout.one_host ? link : default_link_cost({.world = layout.world, .one_host = true});
  std::vector<Candidate> list;
  for (const algorithms::Algorithm& algorithm : algorithms::all()) {
    if (algorithm.collective != collective || !allows(demands, algorithm)) continue;
    const CostTerms terms = terms_of(algorithm, layout, bytes);
    const double us = cost_us(terms.steps, terms.volume, bytes, link) +
                      cost_us(terms.steps_inside, terms.volume_inside, bytes, inside);
    list.push_back({&algorithm, us});
  }
  std::stable_sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) {
    return a.predicted_us < b.predicted_us;
  });
  return list;
}

Result<const algorithms::Algorithm*> choose(Collective collective, std::size_t bytes,
                                            const Layout& layout, std::string_view forced,
                                            const Demands& demands) {
  if (forced != "auto") {
    const auto* wanted = algorithms::find(collective, forced);
    if (wanted != nullptr && allows(demands, *wanted)) return wanted;
    std::string names = "auto";
    bool exists = false;
    for (const algorithms::Algorithm& other : algorithms::all()) {
      exists |= other.name == forced;
      if (names.find(other.name) == std::string::npos) names += fmt::format(", {}", other.name);
    }
    // A name that another collective has, or that the demands forbid, is no error: this call then
    // chooses for itself.
    if (!exists) {
      return Status(ErrorCode::kInvalidArgument,
                    fmt::format("there is no algorithm '{}'; there are: {}", forced, names));
    }
  }
  const auto list = candidates(collective, bytes, layout, default_link_cost(layout), demands);
  if (list.empty()) {
    return Status(ErrorCode::kUnsupported,
                  fmt::format("no algorithm for {}", schedule::to_string(collective)));
  }
  return list.front().algorithm;
}

}  // namespace rondo::select
