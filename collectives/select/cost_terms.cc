#include "collectives/select/cost_terms.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "collectives/algorithms/double_binary_tree_all_reduce.h"
#include "collectives/algorithms/row_exchange.h"
#include "collectives/algorithms/weighted_direct_all_reduce.h"
#include "collectives/select/host_costs.h"
#include "collectives/select/host_traffic.h"
#include "collectives/select/rack_traffic.h"

namespace rondo::select {
namespace {

using schedule::Collective;

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
/// What algorithms by the bits of ranks' numbers add where the world is no power of two.
double guests(double p) { return std::exp2(std::floor(std::log2(p))) == p ? 0 : 2; }

CostTerms around_the_ring(double p, const Setting&) {
  return {.steps = p - 1, .volume = (p - 1) / p, .messages = p - 1};
}
CostTerms twice_around_the_ring(double p, const Setting&) {
  return {.steps = 2 * (p - 1), .volume = 2 * (p - 1) / p, .messages = 2 * (p - 1)};
}
CostTerms once_by_rank(double p, const Setting& setting) {
  return ring_by_rank(around_the_ring(p, setting), setting.layout);
}
CostTerms once_by_order(double p, const Setting& setting) {
  return ring_by_order(around_the_ring(p, setting), setting.layout);
}
CostTerms twice_by_rank(double p, const Setting& setting) {
  return ring_by_rank(twice_around_the_ring(p, setting), setting.layout);
}
CostTerms twice_by_order(double p, const Setting& setting) {
  return ring_by_order(twice_around_the_ring(p, setting), setting.layout);
}
/// Several ranks that send to one at once fill its switch port's queue, and what is dropped there
/// is sent again: 1.02 times the ring's time on four hosts of 1 Gbit/s (docs/performance.md). In
/// shared memory there is no such port. Over a host's own TCP it is the cache that they fill: what
/// comes from one neighbour at a time is worked on while it is there, 1.2 to 1.6 times as fast from
/// 2 MiB on.
double incast(double p, const Setting& setting) {
  if (setting.layout.one_host || p <= 2) return 1;
  const schedule::HostLayout* const hosts = setting.layout.hosts;
  return hosts != nullptr && hosts->hosts() == 1 ? 1.12 : 1.02;
}
/// Of what a rank exchanges with all others, how often it passes its host's link: all ranks of the
/// host share that.
double through_the_host_link(double p, const Setting& setting) {
  const schedule::HostLayout* hosts = setting.layout.hosts;
  if (hosts == nullptr || hosts->hosts() == 1) return 1;
  const double ranks = hosts->most_ranks();
  return ranks * (p - ranks) / (p - 1);
}
double exchanged(double p, const Setting& setting) {
  return incast(p, setting) * through_the_host_link(p, setting);
}
CostTerms exchange(double p, const Setting& setting) {
  return {.steps = one_step(p), .volume = (p - 1) / p * exchanged(p, setting), .messages = p - 1};
}
/// Over a network each message is a system call at either end.
double more_calls(double p, const Setting& setting) {
  return setting.layout.one_host ? 0 : (p - 2) / 4;
}
CostTerms exchange_twice(double p, const Setting& setting) {
  return {.steps = 1 + one_step(p) + more_calls(p, setting),
          .volume = 2 * (p - 1) / p * exchanged(p, setting),
          .messages = 2 * (p - 1)};
}
/// Relative to the slowest link, as all volumes are.
CostTerms exchange_by_shares(double p, const Setting& setting) {
  const double blocks = algorithms::weighted_direct_rows({.world = setting.layout.world},
                                                         setting.bytes / sizeof(float)) /
                        p;
  CostTerms terms = exchange_twice(p, setting);
  terms.steps *= blocks;
  terms.messages *= blocks;
  const schedule::HostLayout* hosts = setting.layout.hosts;
  if (hosts == nullptr || hosts->links() == nullptr) return terms;
  const schedule::LinkSpeeds& links = *hosts->links();
  const std::vector<double> shares = schedule::owners_shares(links);
  double longest = 0;
  for (schedule::Rank rank = 0; rank < links.world(); ++rank) {
    const double volume = 1 + (p - 2) * shares[static_cast<std::size_t>(rank)];
    longest = std::max(longest, volume / links.of(rank));
  }
  terms.volume = longest * links.slowest() * exchanged(p, setting);
  return terms;
}
// In shared memory a rank's children read the same memory at once; a link they take in turn.
CostTerms down_the_tree(double p, const Setting& setting) {
  if (setting.layout.one_host) return {.steps = log2_ceil(p), .volume = 1};
  const schedule::HostLayout* const hosts = setting.layout.hosts;
  const bool are_apart = hosts == nullptr || hosts->hosts() == 1;
  return {.steps = log2_ceil(p),
          .volume = are_apart ? log2_ceil(p) : tree_messages_between_hosts(*hosts),
          .messages = 1};
}
// A rank of the tree reads what it adds to and writes the sum.
CostTerms up_the_tree(double p, const Setting& setting) {
  return setting.layout.one_host ? CostTerms{.steps = log2_ceil(p), .volume = 1.5}
                                 : down_the_tree(p, setting);
}
CostTerms dissemination(double p, const Setting&) {
  return {.steps = log2_ceil(p), .messages = log2_ceil(p)};
}
/// By bulletins: one line written, and the peers' lines read; less than a message, for nothing is
/// given back.
double all_at_once(double p) { return 0.8 + (p - 2) / 16; }
CostTerms tell_all(double p, const Setting& setting) {
  if (setting.layout.one_host) return {.steps = all_at_once(p)};
  return {.steps = one_step(p) + more_calls(p, setting), .messages = p - 1};
}
/// Where what a rank contributes, so many bytes, fits into a bulletin.
CostTerms exchange_whole(double p, const Setting& setting, double own_bytes) {
  CostTerms terms = exchange(p, setting);
  if (setting.layout.one_host && own_bytes <= double{kBulletinBytes}) terms.steps = all_at_once(p);
  return terms;
}
CostTerms exchange_parts(double p, const Setting& setting) {
  return exchange_whole(p, setting, static_cast<double>(setting.bytes) / p);
}
/// Each reads its part of what the others have.
CostTerms exchange_sums(double p, const Setting& setting) {
  return exchange_whole(p, setting, static_cast<double>(setting.bytes));
}
// The ranks all reduce everything themselves.
CostTerms one_shot(double p, const Setting& setting) {
  if (setting.layout.one_host && setting.bytes <= kBulletinBytes)
    return {.steps = all_at_once(p), .volume = 2 * (p - 1)};
  return {.steps = one_step(p) + more_calls(p, setting),
          .volume = 2 * (p - 1) * through_the_host_link(p, setting),
          .messages = p - 1};
}
/// What the root and the others tell each other, of which the most that a rank contributes are
/// `most_bytes`: where that fits into a bulletin.
double steps_with_the_root(double p, const Setting& setting, double most_bytes) {
  if (setting.layout.one_host && most_bytes <= double{kBulletinBytes}) return all_at_once(p);
  return one_step(p);
}
CostTerms all_to_the_root(double p, const Setting& setting) {
  return {.steps = steps_with_the_root(p, setting, static_cast<double>(setting.bytes)),
          .volume = 1.5 * (p - 1),
          .messages = 1};
}
// In shared memory they all read the same memory at once.
CostTerms root_to_all(double p, const Setting& setting) {
  return {.steps = steps_with_the_root(p, setting, static_cast<double>(setting.bytes)),
          .volume = setting.layout.one_host ? 1 : p - 1,
          .messages = 1};
}
CostTerms rows_to_the_root(double p, const Setting& setting) {
  CostTerms terms = exchange_parts(p, setting);
  terms.messages = 1;
  return terms;
}
CostTerms rows_from_the_root(double p, const Setting& setting) {
  return {.steps = steps_with_the_root(p, setting, static_cast<double>(setting.bytes)),
          .volume = exchange(p, setting).volume,
          .messages = 1};
}
// Of their steps those between hosts are the long ones, and then all ranks of a host are at it.
CostTerms recursive_doubling(double p, const Setting& setting) {
  const double steps = std::floor(std::log2(p)) + guests(p);
  // Over a network what is sent and what is received pass at once; every rank sums everything.
  const double each = setting.layout.one_host ? 2 : 1.25;
  return {.steps = steps,
          .volume = each * steps * through_the_host_link(p, setting),
          .messages = steps};
}
bool any_share(const Setting& setting) {
  const schedule::HostLayout* const hosts = setting.layout.hosts;
  return hosts == nullptr ? setting.layout.one_host : hosts->hosts() < hosts->world();
}
/// Steps of so many rows to one rank and as many from another: what waits for what before it, and
/// what each rank sends. Over a network up to eight rows go out by one call of the system.
struct RowSteps {
  double in_a_row = 0;
  double messages = 0;

  void add(double rows, const Setting& setting) {
    constexpr double kGathered = 8;
    const bool shared = any_share(setting);
    const double at_once = shared ? algorithms::kRowsInMemory : algorithms::kRowsOverNetworks;
    in_a_row += std::ceil(rows / at_once);
    messages += shared ? rows : std::ceil(rows / kGathered);
  }
  double steps() const { return steps_of_messages(in_a_row, messages); }
};
/// Each step has another peer: its link idles until the step before is done, and TCP begins slowly.
/// 1.12 times the ring's time on four hosts of 1 Gbit/s.
CostTerms halving_doubling(double p, const Setting& setting) {
  const double idles = setting.layout.one_host || p <= 2 ? 1 : 1.12;
  RowSteps exchanges;
  for (double rows = std::exp2(std::floor(std::log2(p))) / 2; rows >= 1; rows /= 2) {
    exchanges.add(rows, setting);
    exchanges.add(rows, setting);
  }
  return {.steps = exchanges.steps() + guests(p),
          .volume = (2 * (p - 1) / p + guests(p)) * idles * through_the_host_link(p, setting),
          .messages = exchanges.messages + guests(p)};
}
// Up and down two trees at once; a parent takes its two children's messages one after the other,
// and so each level adds two rows' time to either phase.
CostTerms two_trees(double p, const Setting& setting) {
  const std::size_t count = setting.bytes / sizeof(float);
  const double rows = algorithms::double_binary_tree_rows(static_cast<int>(p), count);
  return {
      .steps = 4 * log2_ceil(p), .volume = 2 + 4 * (log2_ceil(p) - 1) / rows, .messages = 2 * rows};
}

/// Rows to the rank `distance` further on, for each power of two; ranks of a host share its link.
CostTerms gather_over_powers_of_two(double p, const Setting& setting,
                                    double (*rows)(double p, double distance)) {
  const schedule::HostLayout* const hosts = setting.layout.hosts;
  CostTerms terms;
  RowSteps exchanges;
  for (int distance = 1; distance < setting.layout.world; distance *= 2) {
    const double streams = hosts == nullptr ? 1 : streams_at_distance(*hosts, distance);
    terms.volume += rows(p, distance) / p * streams;
    exchanges.add(rows(p, distance), setting);
  }
  terms.steps = exchanges.steps();
  terms.messages = exchanges.messages;
  return terms;
}
CostTerms gather_by_bruck(double p, const Setting& setting) {
  return gather_over_powers_of_two(p, setting, [](double world, double distance) {
    return std::min(distance, world - distance);
  });
}
CostTerms gather_by_pat(double p, const Setting& setting) {
  return gather_over_powers_of_two(p, setting, [](double world, double distance) {
    return std::ceil((world - distance) / (2 * distance));
  });
}
CostTerms hop_over_powers_of_two(double p, const Setting& setting) {
  RowSteps exchanges;
  for (int step = 0; step < static_cast<int>(log2_ceil(p)); ++step) exchanges.add(p / 2, setting);
  return {.steps = exchanges.steps(), .volume = log2_ceil(p) / 2, .messages = exchanges.messages};
}

bool has_hosts(const Setting& setting) {
  return setting.layout.hosts != nullptr && setting.layout.hosts->hosts() > 1;
}
CostTerms gather_between_hosts(double p, const Setting& setting) {
  return has_hosts(setting) ? once_between_hosts(*setting.layout.hosts)
                            : exchange_parts(p, setting);
}
CostTerms scatter_between_hosts(double p, const Setting& setting) {
  return has_hosts(setting) ? once_between_hosts(*setting.layout.hosts) : exchange(p, setting);
}
CostTerms broadcast_between_hosts(double p, const Setting& setting) {
  return has_hosts(setting) ? down_the_hosts(setting.layout, setting.bytes)
                            : root_to_all(p, setting);
}
CostTerms reduce_between_hosts(double p, const Setting& setting) {
  return has_hosts(setting) ? up_the_hosts(setting.layout, setting.bytes)
                            : exchange_twice(p, setting);
}
CostTerms inside_and_between(double p, const Setting& setting) {
  return has_hosts(setting) ? twice_between_hosts(*setting.layout.hosts)
                            : exchange_twice(p, setting);
}

/// Where ranks share a core their messages are sent and received one after the other: eight hosts
/// on two cores take 20 us for each message of a rank, whatever waits for what. So are their bytes,
/// which a core copies at either end.
void wait_for_cores(CostTerms& terms, double ranks_per_core) {
  terms.steps += (ranks_per_core - 1) * terms.messages;
  terms.volume *= ranks_per_core;
}

/// The same in shared memory: with each step a rank waits for a turn of every rank of its core, and
/// a turn takes twice as long as a message between two cores (`turns`; docs/performance.md).
void wait_for_turns(CostTerms& terms, double ranks_per_core) {
  constexpr double kTurn = 2;
  if (ranks_per_core <= 1) return;
  terms.steps *= kTurn * ranks_per_core;
  terms.volume *= ranks_per_core;
}

constexpr NamedCost kCosts[] = {
    {Collective::kAllReduce, "ring", twice_by_rank},
    {Collective::kAllReduce, "bidirectional_ring", twice_by_rank},
    {Collective::kAllReduce, "neighbour_ring", twice_by_order},
    {Collective::kAllReduce, "direct", exchange_twice},
    {Collective::kAllReduce, "weighted_direct", exchange_by_shares},
    {Collective::kAllReduce, "one_shot", one_shot},
    {Collective::kAllReduce, "recursive_doubling", recursive_doubling},
    {Collective::kAllReduce, "halving_doubling", halving_doubling},
    {Collective::kAllReduce, "double_binary_tree", two_trees},
    {Collective::kAllReduce, "hierarchical", inside_and_between},
    {Collective::kAllGather, "ring", once_by_rank},
    {Collective::kAllGather, "neighbour_ring", once_by_order},
    {Collective::kAllGather, "hierarchical", gather_between_hosts},
    {Collective::kAllGather, "direct", exchange_parts},
    {Collective::kAllGather, "bruck", gather_by_bruck},
    {Collective::kAllGather, "pat", gather_by_pat},
    {Collective::kReduceScatter, "pat", gather_by_pat},
    {Collective::kReduceScatter, "ring", once_by_rank},
    {Collective::kReduceScatter, "neighbour_ring", once_by_order},
    {Collective::kReduceScatter, "hierarchical", scatter_between_hosts},
    {Collective::kReduceScatter, "direct", exchange_sums},
    {Collective::kBroadcast, "tree", down_the_tree},
    {Collective::kBroadcast, "linear", root_to_all},
    {Collective::kBroadcast, "hierarchical", broadcast_between_hosts},
    {Collective::kReduce, "direct", exchange_twice},
    {Collective::kReduce, "tree", up_the_tree},
    {Collective::kReduce, "linear", all_to_the_root},
    {Collective::kReduce, "hierarchical", reduce_between_hosts},
    {Collective::kGather, "linear", rows_to_the_root},
    {Collective::kScatter, "linear", rows_from_the_root},
    {Collective::kAllToAll, "pairwise", around_the_ring},
    {Collective::kAllToAll, "direct", exchange_parts},
    {Collective::kAllToAll, "bruck", hop_over_powers_of_two},
    {Collective::kBarrier, "dissemination", dissemination},
    {Collective::kBarrier, "direct", tell_all},
};

}  // namespace

CostTerms cost_terms(const algorithms::Algorithm& algorithm, const Layout& layout,
                     std::size_t bytes) {
  for (const NamedCost& cost : kCosts) {
    if (cost.collective == algorithm.collective && cost.name == algorithm.name) {
      CostTerms terms = cost.terms(layout.world, {layout, bytes});
      // All ranks' bytes are its data, of which a rank has one part of so many.
      if (algorithm.collective == Collective::kAllToAll) terms.volume /= layout.world;
      terms.volume = std::max(terms.volume, volume_between_racks(algorithm, layout, bytes));
      if (layout.one_host) {
        wait_for_turns(terms, layout.ranks_per_core);
      } else {
        wait_for_cores(terms, std::max(1.0, layout.ranks_per_core));
      }
      return terms;
    }
  }
  return {2.0 * layout.world, 2.0};
}

}  // namespace rondo::select
