#include "collectives/verify/mutants.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "collectives/algorithms/registry.h"
#include "collectives/verify/explore.h"
#include "collectives/verify/verify.h"
#include "collectives/verify/waiting_probe.h"

namespace rondo::verify {
namespace {

constexpr std::uint32_t kExploredCredits = 2;
constexpr int kProbeUpTo = 3;  // two lanes per rank: too many orders already for 4 ranks

struct Original {
  std::string name;
  World world;
  bool keeps_rank_order = false;
};

/// One rank on the first host, and two on each of the others.
schedule::SharedLayout uneven_layout(int world) {
  std::vector<int> hosts;
  for (int rank = 0; rank < world; ++rank) hosts.push_back((rank + 1) / 2);
  return std::make_shared<const schedule::HostLayout>(hosts);
}

std::vector<Original> originals(int world) {
  std::vector<Original> list;
  const auto add = [&](std::string name, const schedule::Request& like, auto build) {
    Original& original = list.emplace_back();
    original.name = fmt::format("{} {}, world {}", to_string(like.collective), name, world);
    schedule::Request request = like;
    for (request.rank = 0; request.rank < world; ++request.rank) {
      original.world.push_back(build(request));
    }
  };
  for (const algorithms::Algorithm& algorithm : algorithms::all()) {
    schedule::Request request{.collective = algorithm.collective, .world = world};
    if (algorithm.uses_layout != algorithms::LayoutUse::kNone)
      request.layout = uneven_layout(world);
    request.rows = algorithm.rows(request, 1);
    if (schedule::has_root(request.collective)) request.root = world / 2;
    if (request.collective == schedule::Collective::kBroadcast) request.rows = 2;
    add(std::string(algorithm.name), request, algorithm.build);
    list.back().keeps_rank_order = algorithm.keeps_rank_order;
  }
  if (world > kProbeUpTo) return list;
  add("waiting probe", {.collective = schedule::Collective::kAllReduce, .world = world},
      waiting_probe);
  return list;
}

/// The worst that any order under any channel model shows.
Verdict explore_all(const FusedWorld& world, Order order) {
  Verdict worst = Verdict::kGood;
  for (const Model& model : models_for(world, kExploredCredits)) {
    const Verdict verdict = explore(world, model, {}, order);
    if (verdict == Verdict::kBad) return verdict;
    if (verdict == Verdict::kSampled) worst = verdict;
  }
  return worst;
}

/// What the original was proved to do, in the form that it is mutated in.
Order order_of(const Original& original, Mutation mutation) {
  if (!original.keeps_rank_order) return Order::kAny;
  return is_of_fused(mutation) ? Order::kRanksInOneSweep : Order::kRanks;
}

/// What becomes of a mutant; nothing: it is missed.
std::optional<std::uint64_t MutantCount::*> judge(const FusedWorld& mutant, Order order) {
  const bool accepted = verify(mutant, order).ok();
  if (verify_at_once(mutant, order).ok() != accepted) return std::nullopt;
  if (!accepted) return &MutantCount::caught;
  switch (explore_all(mutant, order)) {
    case Verdict::kGood: return &MutantCount::equivalent;
    case Verdict::kSampled: return &MutantCount::sampled;
    case Verdict::kBad: break;
  }
  return std::nullopt;
}

void add(const FusedWorld& mutant, Order order, const std::string& name, MutantCount& count) {
  ++count.mutants;
  const auto verdict = judge(mutant, order);
  if (verdict) {
    ++(count.**verdict);
    return;
  }
  ++count.missed;
  if (count.first_missed.empty()) count.first_missed = name;
}

}  // namespace

std::vector<MutantCount> count_mutants(const MutantOptions& options) {
  std::vector<MutantCount> counts;
  for (int i = 0; i < kMutationCount; ++i) {
    counts.emplace_back().mutation = static_cast<Mutation>(i);
  }
  for (const int world : options.worlds) {
    for (const Original& original : originals(world)) {
      for (MutantCount& count : counts) {
        for (int seed = 0; seed < options.seeds; ++seed) {
          std::minstd_rand random(static_cast<unsigned>(seed) + 1);
          random.discard(10);
          const FusedWorld mutant = mutate(original.world, count.mutation, random);
          if (mutant.empty()) break;
          add(mutant, order_of(original, count.mutation),
              fmt::format("{}, seed {}", original.name, seed), count);
        }
      }
    }
  }
  return counts;
}

}  // namespace rondo::verify
