// The reduction of orders is only worth something if it changes no verdict: wrong worlds and right
// ones are explored with it and without.

#include "collectives/verify/going_first.h"

#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "collectives/algorithms/registry.h"
#include "collectives/verify/explore.h"
#include "collectives/verify/mutate.h"
#include "collectives/verify/shape.h"
#include "collectives/verify/verify.h"
#include "collectives/verify/waiting_probe.h"

namespace rondo::verify {
namespace {

std::vector<World> originals(int size) {
  std::vector<World> worlds;
  for (const algorithms::Algorithm& algorithm : algorithms::all()) {
    World& world = worlds.emplace_back();
    for (int rank = 0; rank < size; ++rank)
      world.push_back(algorithm.build(
          {algorithm.collective, size, rank, 0, algorithm.rows({.world = size}, 1)}));
  }
  World& probe = worlds.emplace_back();
  for (int rank = 0; rank < size; ++rank)
    probe.push_back(waiting_probe(
        {.collective = schedule::Collective::kAllReduce, .world = size, .rank = rank}));
  return worlds;
}

class GoingFirst : public testing::TestWithParam<int> {
 protected:
  void compare(const FusedWorld& world, const std::string& name) {
    for (const Model& model : models_for(world, 2)) {
      const auto all = explore(world, model, {.random_orders = 0, .reduce = false});
      if (all == Verdict::kSampled) continue;
      const auto reduced = explore(world, model, {.random_orders = 0});
      EXPECT_EQ(reduced, all) << name;
      ++verdicts_[reduced];
    }
  }
  std::map<Verdict, int> verdicts_;
};

TEST_P(GoingFirst, Mutants_HaveTheVerdictOfAllOrders) {
  for (const World& original : originals(GetParam())) {
    for (int kind = 0; kind < kMutationCount; ++kind) {
      for (unsigned seed = 1; seed <= 6; ++seed) {
        std::minstd_rand random(seed);
        const FusedWorld mutant = mutate(original, static_cast<Mutation>(kind), random);
        if (mutant.empty() || !check_shape(mutant).ok()) continue;
        compare(mutant, std::string(to_string(static_cast<Mutation>(kind))) + ", seed " +
                            std::to_string(seed));
      }
    }
  }
  std::cout << verdicts_[Verdict::kGood] << " good, " << verdicts_[Verdict::kBad] << " bad\n";
  EXPECT_GT(verdicts_[Verdict::kGood], 100);
  EXPECT_GT(verdicts_[Verdict::kBad], 100);
}

INSTANTIATE_TEST_SUITE_P(Worlds, GoingFirst, testing::Values(2, 3));

}  // namespace
}  // namespace rondo::verify
