#include "collectives/select/select.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace rondo::select {
namespace {

using schedule::Collective;
using ::testing::HasSubstr;

std::string chosen(std::size_t bytes, const Layout& layout, std::string_view forced = "auto") {
  const auto algorithm = choose(Collective::kAllReduce, bytes, layout, forced);
  return algorithm.ok() ? std::string((*algorithm)->name) : algorithm.status().message();
}

TEST(Select, FewBytes_OneStepWins) {
  EXPECT_EQ(chosen(8, {.world = 2, .one_host = true}), "one_shot");
  // Two ranks' one step of everything, under another name.
  EXPECT_EQ(chosen(64, {.world = 2, .one_host = false}), "recursive_doubling");
}

TEST(Select, ManyBytes_LeastVolumeWins) {
  EXPECT_EQ(chosen(std::size_t{32} << 20, {.world = 4, .one_host = true}), "direct");
  EXPECT_NE(chosen(std::size_t{32} << 20, {.world = 8, .one_host = false}), "one_shot");
}

TEST(Select, ManyHosts_StepsByTheBitsOfTheRanksWin) {
  std::vector<int> each_its_own(64);
  std::iota(each_its_own.begin(), each_its_own.end(), 0);
  const schedule::HostLayout hosts(each_its_own);
  const Layout layout{.world = 64, .one_host = false, .hosts = &hosts};
  EXPECT_EQ(chosen(8, layout), "recursive_doubling");
  EXPECT_EQ(chosen(64 << 10, layout), "halving_doubling");
}

TEST(Select, FourHosts_FewMessagesWinTo32KiB) {
  const Layout layout{.world = 4, .one_host = false};
  EXPECT_EQ(chosen(8, layout), "recursive_doubling");
  EXPECT_EQ(chosen(32 << 10, layout), "recursive_doubling");
  EXPECT_NE(chosen(512 << 10, layout), "recursive_doubling");
}

TEST(Select, FourHosts_ManyBytesGoRoundTheRing) {
  EXPECT_EQ(chosen(std::size_t{64} << 20, {.world = 4, .one_host = false}), "ring");
}

TEST(Select, TcpInsideAHost_GoesRoundTheRingOnceTheCacheIsFull) {
  const schedule::HostLayout one(std::vector<int>{0, 0, 0, 0});
  const Layout layout{.world = 4, .one_host = false, .hosts = &one};
  EXPECT_EQ(chosen(256 << 10, layout), "direct");
  EXPECT_EQ(chosen(2 << 20, layout), "ring");
}

TEST(Select, ASlowLink_WantsItsRankToOwnLess) {
  const schedule::HostLayout hosts(std::vector<int>{0, 1, 2, 3});
  const auto with = [&](std::vector<double> speeds) {
    return hosts.with_links(schedule::LinkSpeeds::of_ranks(speeds));
  };
  const auto slow = with({1, 1, 0.2, 1});
  EXPECT_EQ(chosen(64 << 20, {.world = 4, .one_host = false, .hosts = &slow}), "weighted_direct");
  const auto equal = with({1, 1, 1, 1});
  EXPECT_EQ(chosen(64 << 20, {.world = 4, .one_host = false, .hosts = &equal}), "ring");
}

TEST(Select, SlowPairs_AreLeftOutOfTheRing) {
  // Even and odd ranks are far from each other, but for 0 and 1, and 2 and 3.
  std::vector<double> pairs(16, 1);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      if (i == j || i % 2 == j % 2 || i / 2 == j / 2) continue;
      pairs[i * 4 + j] = 0.25;
    }
  }
  const auto hosts = schedule::HostLayout(std::vector<int>{0, 1, 2, 3})
                         .with_links(schedule::LinkSpeeds::of_pairs(4, pairs));
  EXPECT_EQ(chosen(64 << 20, {.world = 4, .one_host = false, .hosts = &hosts}), "neighbour_ring");
}

TEST(Select, TwoRacks_TheRingThatCrossesTwiceIsChosen) {
  for (const int hosts : {4, 6, 8}) {
    const auto count = static_cast<std::size_t>(hosts);
    std::vector<int> host_of(count);
    std::vector<double> pairs(count * count, 1);
    for (std::size_t i = 0; i < count; ++i) {
      host_of[i] = static_cast<int>(i);
      for (std::size_t j = 0; j < count; ++j) {
        if (i % 2 != j % 2) pairs[i * count + j] = 0.2;
      }
    }
    const auto racks =
        schedule::HostLayout(host_of).with_links(schedule::LinkSpeeds::of_pairs(hosts, pairs));
    const Layout layout{.world = hosts, .one_host = false, .hosts = &racks};
    EXPECT_EQ(chosen(64 << 20, layout), "neighbour_ring") << hosts;
    Layout shared_cores = layout;
    shared_cores.ranks_per_core = 2;
    EXPECT_EQ(chosen(64 << 20, shared_cores), "neighbour_ring") << hosts;
    const auto other = [&](Collective collective) {
      return (*choose(collective, 64 << 20, layout, "auto"))->name;
    };
    EXPECT_NE(other(Collective::kReduceScatter), "ring") << hosts;
    EXPECT_NE(other(Collective::kAllGather), "ring")
        << hosts << ": Bruck's first step alone leads to the other rack";
  }
}

double predicted_us(std::string_view name, std::size_t bytes, const Layout& layout,
                    Collective collective = Collective::kAllReduce) {
  const LinkCost link = default_link_cost(layout);
  for (const Candidate& candidate : candidates(collective, bytes, layout, link)) {
    if (candidate.algorithm->name == name) return candidate.predicted_us;
  }
  return -1;
}

TEST(Select, ManyHostsThatAreNoPowerOfTwo_TreesLieBetweenHalvingAndTheRing) {
  const Layout layout{.world = 60, .one_host = false};
  const auto trees = [&](std::size_t bytes) {
    return predicted_us("double_binary_tree", bytes, layout);
  };
  EXPECT_LT(predicted_us("halving_doubling", 64 << 10, layout), trees(64 << 10));
  EXPECT_LT(trees(4 << 20), predicted_us("halving_doubling", 4 << 20, layout));
  EXPECT_LT(trees(4 << 20), predicted_us("ring", 4 << 20, layout));
  EXPECT_LT(predicted_us("ring", 64 << 20, layout), trees(64 << 20));
}

TEST(Select, SizesOfOwnRowsAlone_LeaveRelayingAlgorithmsOut) {
  const Layout layout{.world = 8};
  const auto name = [&](std::string_view forced, Demands::Rows rows) {
    return (*choose(Collective::kAllToAll, 8, layout, forced, {.rows = rows}))->name;
  };
  EXPECT_EQ(name("bruck", Demands::Rows::kAll), "bruck");
  EXPECT_EQ(name("bruck", Demands::Rows::kOwn), "direct");
  EXPECT_EQ(name("auto", Demands::Rows::kOwn), "direct");
}

TEST(Select, RanksDealtOutToHosts_TheRingByNeighboursCostsLess) {
  const schedule::HostLayout dealt(std::vector<int>{0, 1, 0, 1, 0, 1});
  const schedule::HostLayout blocks(std::vector<int>{0, 0, 0, 1, 1, 1});
  for (const Collective collective :
       {Collective::kAllReduce, Collective::kAllGather, Collective::kReduceScatter}) {
    const auto saved_us = [&](const schedule::HostLayout& hosts) {
      const Layout layout{.world = 6, .one_host = false, .hosts = &hosts};
      return predicted_us("ring", 32 << 20, layout, collective) -
             predicted_us("neighbour_ring", 32 << 20, layout, collective);
    };
    EXPECT_GT(saved_us(dealt), 0) << to_string(collective);
    EXPECT_EQ(saved_us(blocks), 0) << to_string(collective);
  }
}

TEST(Select, HostsOfManyRanks_AreLeftAsRarelyAsPossible) {
  std::vector<int> host_of;
  for (int rank = 0; rank < 64; ++rank) host_of.push_back(rank / 8);
  const schedule::HostLayout hosts(host_of);
  const Layout layout{.world = 64, .one_host = false, .hosts = &hosts};
  EXPECT_EQ(chosen(std::size_t{32} << 20, layout), "hierarchical");
  EXPECT_NE(chosen(std::size_t{32} << 20, {.world = 64, .one_host = false}), "hierarchical");
  EXPECT_NE(chosen(std::size_t{32} << 20, {.world = 64, .one_host = true}), "hierarchical");
}

/// What is chosen on `hosts` hosts of `ranks` ranks each.
std::string chosen_on(Collective collective, std::size_t bytes, int hosts, int ranks) {
  std::vector<int> host_of;
  for (int rank = 0; rank < hosts * ranks; ++rank) host_of.push_back(rank / ranks);
  const schedule::HostLayout layout(host_of);
  return std::string(
      (*choose(collective, bytes,
               {.world = hosts * ranks, .one_host = hosts == 1, .hosts = &layout}, "auto"))
          ->name);
}

TEST(Select, HostsOfManyRanks_AreEnteredOnceByEachRow) {
  for (const Collective collective : {Collective::kAllGather, Collective::kReduceScatter,
                                      Collective::kBroadcast, Collective::kReduce}) {
    for (const std::size_t bytes : {std::size_t{4096}, std::size_t{32} << 20}) {
      EXPECT_EQ(chosen_on(collective, bytes, 8, 8), "hierarchical") << to_string(collective);
      EXPECT_NE(chosen_on(collective, bytes, 1, 8), "hierarchical") << to_string(collective);
    }
    EXPECT_NE(chosen_on(collective, 4096, 8, 1), "hierarchical") << to_string(collective);
  }
  EXPECT_NE(chosen_on(Collective::kAllGather, 32 << 20, 8, 1), "hierarchical");
  EXPECT_NE(chosen_on(Collective::kReduceScatter, 32 << 20, 8, 1), "hierarchical");
  // Along the chain of the hosts.
  EXPECT_EQ(chosen_on(Collective::kBroadcast, 32 << 20, 8, 1), "hierarchical");
  EXPECT_EQ(chosen_on(Collective::kReduce, 32 << 20, 8, 1), "hierarchical");
}

TEST(Select, Broadcast_SharedMemoryIsReadByAllAtOnce) {
  const auto name = [](bool one_host) {
    return (*choose(Collective::kBroadcast, 1 << 20, {.world = 4, .one_host = one_host}, "auto"))
        ->name;
  };
  EXPECT_EQ(name(true), "linear");
  EXPECT_EQ(name(false), "tree");
}

TEST(Select, EveryAlgorithm_HasACost) {
  // What has none costs 2p steps: more than any here that has one.
  for (const algorithms::Algorithm& algorithm : algorithms::all()) {
    const Layout layout{.world = 8, .one_host = true};
    for (const Candidate& candidate : candidates(algorithm.collective, 0, layout, {1, 0})) {
      EXPECT_LT(candidate.predicted_us, 16) << candidate.algorithm->name;
    }
  }
}

TEST(Select, Candidates_AreAllOfTheCollectiveCheapestFirst) {
  const Layout layout{.world = 4, .one_host = true};
  const auto list = candidates(Collective::kAllReduce, 1 << 20, layout, default_link_cost(layout));
  ASSERT_GE(list.size(), 3U);
  for (std::size_t i = 1; i < list.size(); ++i) {
    EXPECT_LE(list[i - 1].predicted_us, list[i].predicted_us);
    EXPECT_EQ(list[i].algorithm->collective, Collective::kAllReduce);
  }
}

TEST(Select, ForcedName_IsTakenWhereTheCollectiveHasIt) {
  EXPECT_EQ(chosen(8, {.world = 4, .one_host = true}, "ring"), "ring");
  const auto broadcast = choose(Collective::kBroadcast, 8, {.world = 4}, "ring");
  ASSERT_TRUE(broadcast.ok());
  EXPECT_EQ((*broadcast)->name, "linear");
}

TEST(Select, RankOrder_IsKeptByWhateverIsChosen) {
  for (const Collective collective :
       {Collective::kAllReduce, Collective::kReduce, Collective::kReduceScatter}) {
    for (const std::size_t bytes : {8UL, 64UL << 10, 32UL << 20}) {
      for (const char* forced : {"auto", "ring", "tree", "direct", "recursive_doubling"}) {
        const Layout layout{.world = 64, .one_host = false};
        const auto algorithm =
            choose(collective, bytes, layout, forced, {.order = Demands::Order::kRanks});
        ASSERT_TRUE(algorithm.ok());
        EXPECT_TRUE((*algorithm)->keeps_rank_order) << (*algorithm)->name;
      }
    }
  }
}

TEST(Select, RankOrder_IsNothingToCollectivesThatOnlyMove) {
  const Layout layout{.world = 4, .one_host = false};
  const auto broadcast =
      choose(Collective::kBroadcast, 8, layout, "tree", {.order = Demands::Order::kRanks});
  ASSERT_TRUE(broadcast.ok());
  EXPECT_EQ((*broadcast)->name, "tree");
}

TEST(Select, UnknownName_ListsWhatThereIs) {
  const std::string text = chosen(8, {.world = 4}, "rign");
  EXPECT_THAT(text, HasSubstr("'rign'"));
  EXPECT_THAT(text,
              HasSubstr("auto, ring, direct, one_shot, recursive_doubling, halving_doubling"));
  for (const algorithms::Algorithm& algorithm : algorithms::all()) {
    const std::string listed = ", " + std::string(algorithm.name);
    EXPECT_TRUE(text.find(listed + ",") != std::string::npos || text.ends_with(listed)) << listed;
  }
}

// 8 hosts on two cores: 250 us by Bruck's three messages a rank, 410 us by seven.
TEST(Select, RanksOfAHostThatShareCores_TakeFewTurns) {
  const auto chosen = [](double ranks_per_core, std::size_t bytes) {
    const Layout layout{.world = 4, .one_host = true, .ranks_per_core = ranks_per_core};
    return choose(Collective::kAllReduce, bytes, layout, "auto").value()->name;
  };
  EXPECT_EQ(chosen(1, 4096), "direct");
  EXPECT_EQ(chosen(2, 4096), "one_shot") << "one turn of all ranks instead of two";
  EXPECT_EQ(chosen(2, std::size_t{32} << 10), "direct");
}

TEST(Select, RanksThatShareCores_SendFewMessages) {
  const schedule::HostLayout hosts(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  Layout layout{.world = 8, .one_host = false, .hosts = &hosts};
  const auto chosen = [&](schedule::Collective collective) {
    return choose(collective, 4096, layout, "auto").value()->name;
  };
  EXPECT_EQ(chosen(schedule::Collective::kAllGather), "direct");
  EXPECT_EQ(chosen(schedule::Collective::kReduceScatter), "direct");
  EXPECT_EQ(chosen(schedule::Collective::kAllToAll), "direct");
  layout.ranks_per_core = 4;
  EXPECT_EQ(chosen(schedule::Collective::kAllGather), "bruck");
  EXPECT_EQ(chosen(schedule::Collective::kReduceScatter), "pat");
  EXPECT_EQ(chosen(schedule::Collective::kAllToAll), "bruck");
  EXPECT_EQ(chosen(schedule::Collective::kBarrier), "dissemination");
}

}  // namespace
}  // namespace rondo::select
