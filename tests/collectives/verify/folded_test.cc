// The verdict on a folded world against that on the same world, unfolded: the one from a single
// rank, the other from all of them. What is wrong in the base is wrong in each turn.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/fuse.h"
#include "collectives/verify/layout_family.h"
#include "collectives/verify/mutate.h"
#include "collectives/verify/verify.h"

namespace rondo::verify {
namespace {

using algorithms::Algorithm;
using schedule::FoldedWorld;
using schedule::FusedSchedule;
using schedule::Port;
using schedule::Rank;
using schedule::Request;
using schedule::Sweep;
using testing::HasSubstr;

schedule::BuildSchedule builder_of(const Algorithm& algorithm, int world) {
  Request request{.collective = algorithm.collective, .world = world};
  const auto layouts = layouts_for(algorithm, world);
  if (!layouts.empty()) request.layout = layouts.back();
  request.rows = algorithm.rows(request, 1);
  return [&algorithm, request](Rank rank) mutable {
    request.rank = rank;
    return algorithm.build(request);
  };
}

std::size_t pick(std::size_t count, std::minstd_rand& random) { return random() % count; }

/// Any of the ports that `fits`; null: there is none.
Port* any_port(FusedSchedule& own, std::minstd_rand& random,
               const std::function<bool(const Port&)>& fits) {
  std::vector<Port*> ports;
  for (Port& port : own.ports) {
    if (fits(port)) ports.push_back(&port);
  }
  return ports.empty() ? nullptr : ports[pick(ports.size(), random)];
}

/// Any sweep with several ports on the side that `count` counts.
Sweep* any_sweep(FusedSchedule& own, std::minstd_rand& random, std::uint32_t Sweep::*count) {
  std::vector<Sweep*> sweeps;
  for (std::vector<Sweep>& lane : own.lanes) {
    for (Sweep& sweep : lane) {
      if (sweep.*count > 1) sweeps.push_back(&sweep);
    }
  }
  return sweeps.empty() ? nullptr : sweeps[pick(sweeps.size(), random)];
}

/// Changes a base in one place. Which of the wrongs: `kind`.
void damage(FusedSchedule& own, int kind, std::minstd_rand& random) {
  std::vector<Sweep>& lane = own.lanes[pick(own.lanes.size(), random)];
  const auto world = static_cast<std::size_t>(own.request.world);
  const auto row = static_cast<std::uint32_t>(pick(own.request.rows, random));
  const auto is_channel = [](const Port& port) { return port.is_channel(); };
  if (kind == 0 && lane.size() > 1) {
    const std::size_t first = pick(lane.size() - 1, random);
    std::swap(lane[first], lane[first + 1]);
  }
  if (kind == 1) {
    if (Sweep* sweep = any_sweep(own, random, &Sweep::source_count)) {
      std::swap(own.ports[sweep->first_source], own.ports[sweep->first_source + 1]);
      sweep->by_rank = false;
    }
  }
  if (kind == 2) {
    if (Sweep* sweep = any_sweep(own, random, &Sweep::target_count)) --sweep->target_count;
  }
  if (kind == 3) {
    if (Sweep* sweep = any_sweep(own, random, &Sweep::source_count)) {
      sweep->by_rank = !sweep->by_rank;
    }
  }
  if (kind == 4) {
    if (Port* port = any_port(own, random, is_channel)) {
      port->peer = static_cast<Rank>(pick(world, random));
    }
  }
  if (kind == 5) {
    const auto is_copied = [](const Port& port) { return port.is_channel() && !port.direct; };
    if (Port* port = any_port(own, random, is_copied)) {
      port->direct = true;
      port->slice = {schedule::BufferRole::kOutput, row};
      for (const Sweep& sweep : lane) {
        const bool recv = sweep.source_count == 1 && own.ports[sweep.first_source].is_channel();
        const Port& target = own.ports[sweep.first_target];
        if (recv && !target.is_channel() && random() % 2 == 0) port->slice = target.slice;
      }
    }
  }
  if (kind == 6) {
    const auto is_memory = [](const Port& port) { return !port.is_channel(); };
    if (Port* port = any_port(own, random, is_memory)) port->slice.chunk = row;
  }
  if (kind == 7) {
    using schedule::BufferRole;
    const auto is_buffer = [](const Port& port) {
      return !port.is_channel() && port.slice.buffer != BufferRole::kScratch;
    };
    if (Port* port = any_port(own, random, is_buffer)) {
      const bool was_input = port->slice.buffer == BufferRole::kInput;
      port->slice.buffer = was_input ? BufferRole::kOutput : BufferRole::kInput;
    }
  }
}
constexpr int kDamages = 8;

struct Verdicts {
  int both_accept = 0;
  int both_refuse = 0;
  int only_whole_accepts = 0;

  void compare(const FoldedWorld& world, Order order, const std::string& name) {
    const bool folded = accept_folded(world, order).has_value();
    const auto whole = verify_at_once(unfold(world), order);
    EXPECT_FALSE(folded && !whole.ok()) << name << ": " << whole.status().to_string();
    if (folded) {
      ++both_accept;
    } else {
      ++(whole.ok() ? only_whole_accepts : both_refuse);
    }
  }
};

Order order_of(const Algorithm& algorithm) {
  return algorithm.keeps_rank_order ? Order::kRanks : Order::kAny;
}

TEST(VerifyAtOnce, DamagedWorlds_HaveTheVerdictOfAllModels) {
  std::minstd_rand random(7);
  int accepted = 0;
  int refused = 0;
  for (const Algorithm& algorithm : algorithms::all()) {
    for (const int size : {2, 3, 5}) {
      const auto right = unfold(schedule::fuse_folded(builder_of(algorithm, size)));
      for (int round = 0; round < 10 * kDamages; ++round) {
        auto world = right;
        damage(world[pick(world.size(), random)], round % kDamages, random);
        const Order order = order_of(algorithm);
        const bool all = verify(world, order).ok();
        EXPECT_EQ(verify_at_once(world, order).ok(), all)
            << algorithm.name << ", world " << size << ", damage " << round % kDamages;
        ++(all ? accepted : refused);
      }
    }
  }
  EXPECT_GT(accepted, 500);
  EXPECT_GT(refused, 2000);
}

TEST(Folded, EveryRotation_IsAcceptedFromOneRank) {
  for (const Algorithm& algorithm : algorithms::all()) {
    for (const int world : {2, 3, 4, 5, 8, 13, 16, 33}) {
      const FoldedWorld folded = schedule::fuse_folded(builder_of(algorithm, world));
      if (folded.rotation.order() == 1) continue;
      const auto one = accept_folded(folded, order_of(algorithm));
      const auto whole = verify_at_once(unfold(folded), order_of(algorithm));
      ASSERT_TRUE(whole.ok()) << algorithm.name << ", world " << world;
      // Two ranks that add up the same row, each its own first: that + commutes is not a turn.
      if (algorithm.name == "recursive_doubling" && world == 2) {
        EXPECT_FALSE(one);
        continue;
      }
      ASSERT_TRUE(one) << algorithm.name << ", world " << world;
      EXPECT_EQ(one->least_credits, whole->least_credits);
      EXPECT_EQ(one->sweeps, whole->sweeps);
      EXPECT_EQ(one->messages, whole->messages);
    }
  }
}

TEST(Folded, DamagedBases_GetTheVerdictOfTheWholeWorld) {
  Verdicts verdicts;
  std::minstd_rand random(11);
  for (const Algorithm& algorithm : algorithms::all()) {
    for (const int world : {2, 3, 4, 5}) {
      const FoldedWorld folded = schedule::fuse_folded(builder_of(algorithm, world));
      if (folded.rotation.order() == 1) continue;
      for (int trial = 0; trial < 40 * kDamages; ++trial) {
        FoldedWorld damaged = folded;
        damage(damaged.bases[0], trial % kDamages, random);
        verdicts.compare(damaged, order_of(algorithm),
                         std::string(algorithm.name) + ", world " + std::to_string(world) +
                             ", damage " + std::to_string(trial % kDamages));
      }
    }
  }
  EXPECT_GT(verdicts.both_accept, 1000) << "harmless ones, or damage that found no place";
  EXPECT_GT(verdicts.both_refuse, 5000);
  // Orders of sources that only the whole world shows to be the same everywhere.
  EXPECT_LT(verdicts.only_whole_accepts, verdicts.both_accept / 10);
}

TEST(Folded, MutantsOfOps_GetTheVerdictOfTheWholeWorld) {
  Verdicts verdicts;
  std::minstd_rand random(12);
  for (const Algorithm& algorithm : algorithms::all()) {
    for (const int world : {2, 3, 5}) {
      const auto build = builder_of(algorithm, world);
      const auto folded = schedule::fold(build(0), build);
      if (!folded) continue;
      for (int trial = 0; trial < 20 * kMutationCount; ++trial) {
        const auto mutation = static_cast<Mutation>(trial % kMutationCount);
        if (is_of_fused(mutation)) continue;
        const FoldedWorld mutant{folded->rotation, mutate(folded->bases, mutation, random)};
        if (mutant.bases.empty()) continue;
        verdicts.compare(mutant, order_of(algorithm),
                         std::string(algorithm.name) + ", " + to_string(mutation));
      }
    }
  }
  EXPECT_GT(verdicts.both_refuse, 2000);
  EXPECT_GT(verdicts.both_accept, 20);
}

/// Rank r of three lends a slot to both neighbours; when it has heard of the next one's slot, it
/// reads the previous one's, and stores what is there into the next one's: which the rank after
/// that may still be reading.
schedule::RankSchedule pass_on_into_what_is_lent(Rank rank) {
  const Rank next = (rank + 1) % 3;
  const Rank previous = (rank + 2) % 3;
  const schedule::Slice input{schedule::BufferRole::kInput, 0};
  schedule::Builder b({.world = 3, .rank = rank, .rows = 1});
  const schedule::Slice lent = b.scratch(0);
  const schedule::Slice heard = b.scratch(0);
  const schedule::Slice passed = b.scratch(0);
  b.copy(input, lent);
  b.send(next, lent);
  b.send(previous, lent);
  b.recv(next, heard);
  b.recv(previous, passed);
  b.send(next, passed);
  b.recv(previous, lent);
  return std::move(b).finish();
}

TEST(Folded, LoansOfOtherTurns_AreNotTheSweepsOwn) {
  FoldedWorld world =
      *schedule::fold_joined(pass_on_into_what_is_lent(0), pass_on_into_what_is_lent);
  Port& passed_on = world.bases[0].ports[world.bases[0].lanes[0][2].first_target + 1];
  ASSERT_TRUE(passed_on.is_channel());
  const Sweep& last = world.bases[0].lanes[0].back();
  passed_on.direct = true;
  passed_on.slice = world.bases[0].ports[last.first_target].slice;
  const Model strict{.lent = true, .in_place = true, .credits = 2, .lends_all = true};
  const Status folded = Machine(world.bases, world.rotation, strict, nullptr).run();
  const auto all = unfold(world);
  const Status whole = Machine(all, schedule::Rotation::none(3), strict, nullptr).run();
  EXPECT_THAT(whole.message(), HasSubstr("whose send may still be pending"));
  EXPECT_THAT(folded.message(), HasSubstr("whose send may still be pending"));
}

TEST(Folded, WrongOnEveryRank_IsExplainedByTheWholeWorld) {
  const Algorithm* ring = algorithms::find(schedule::Collective::kAllReduce, "ring");
  FoldedWorld folded = schedule::fuse_folded(builder_of(*ring, 4));
  folded.bases[0].lanes[0].pop_back();
  const auto report = verify_at_once(folded);
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.status().message(), HasSubstr("never receives"));
}

TEST(Folded, RotationThatIsNotTheWorlds_IsRefused) {
  const Algorithm* direct = algorithms::find(schedule::Collective::kReduceScatter, "direct");
  FoldedWorld world = schedule::fuse_folded(builder_of(*direct, 3));
  ASSERT_TRUE(verify_at_once(world).ok());
  FoldedWorld rows_stay = world;
  rows_stay.rotation =
      *schedule::Rotation::along(std::vector<Rank>{0, 1, 2}, std::vector<std::uint32_t>{0, 1, 2});
  EXPECT_THAT(verify_at_once(rows_stay).status().message(), HasSubstr("rotation"));
  FoldedWorld few_rows = world;
  few_rows.rotation = *schedule::Rotation::along(std::vector<Rank>{0, 1, 2},
                                                 std::vector<std::uint32_t>{1, 2, 0, 4, 5, 3});
  EXPECT_THAT(verify_values(few_rows).status().message(), HasSubstr("rotation"));
  const FoldedWorld few{schedule::Rotation::none(4), unfold(world)};
  EXPECT_THAT(verify_at_once(few).status().message(), HasSubstr("but there are 3 schedules"));
  FoldedWorld rooted = world;
  rooted.bases[0].request.collective = schedule::Collective::kReduce;
  EXPECT_THAT(verify_at_once(rooted).status().message(), HasSubstr("rotation"));
}

TEST(VerifyValues, WrongValuesAndEnds_AreRefused) {
  const Algorithm* ring = algorithms::find(schedule::Collective::kAllReduce, "ring");
  const FoldedWorld right = schedule::fuse_folded(builder_of(*ring, 4));
  EXPECT_TRUE(verify_values(right).ok());
  FoldedWorld cut = right;
  cut.bases[0].lanes[0].pop_back();
  EXPECT_THAT(verify_values(cut).status().message(), HasSubstr("never receives"));
  FoldedWorld wrong = right;
  wrong.bases[0].lanes[0][1].final = !wrong.bases[0].lanes[0][1].final;
  EXPECT_THAT(verify_values(wrong).status().message(), HasSubstr("final"));
}

/// Gives its input away, and overwrites the output that lies in the same place before it is taken.
schedule::RankSchedule overwrite_what_is_lent(Rank rank) {
  const auto own = static_cast<std::uint32_t>(rank);
  const auto other = static_cast<std::uint32_t>(1 - rank);
  schedule::Builder b(
      {.collective = schedule::Collective::kAllToAll, .world = 2, .rank = rank, .rows = 4});
  const schedule::Slice kept = b.scratch(2 * own + other);
  b.copy({schedule::BufferRole::kInput, 2 * own + own}, {schedule::BufferRole::kOutput, 3 * own});
  b.copy({schedule::BufferRole::kInput, 2 * own + other}, kept);
  b.send(1 - rank, kept);
  b.copy({schedule::BufferRole::kInput, 2 * own + other}, kept);
  b.recv(1 - rank, {schedule::BufferRole::kOutput, 2 * other + own});
  return std::move(b).finish();
}

TEST(VerifyValues, RulesAboutMemory_AreNotItsBusiness) {
  const FoldedWorld world = schedule::lower_folded(overwrite_what_is_lent);
  EXPECT_TRUE(verify_values(world).ok()) << verify_values(world).status().to_string();
  EXPECT_FALSE(verify_at_once(world).ok());
}

}  // namespace
}  // namespace rondo::verify
