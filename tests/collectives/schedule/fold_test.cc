#include "collectives/schedule/fold.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "collectives/algorithms/direct_all_gather.h"
#include "collectives/algorithms/direct_reduce_scatter.h"
#include "collectives/algorithms/registry.h"
#include "collectives/algorithms/ring_all_reduce.h"
#include "collectives/schedule/fuse.h"
#include "collectives/schedule/print.h"

namespace rondo::schedule {
namespace {

BuildSchedule builder_of(const algorithms::Algorithm& algorithm, Request request) {
  return [&algorithm, request](Rank rank) mutable {
    request.rank = rank;
    return algorithm.build(request);
  };
}

std::vector<RankSchedule> build_all(int world, const BuildSchedule& build) {
  std::vector<RankSchedule> all;
  for (Rank rank = 0; rank < world; ++rank) all.push_back(build(rank));
  return all;
}

/// Two hosts, whose ranks alternate; of one host where `world` is 1.
SharedLayout alternating(int world) {
  std::vector<int> host_of;
  for (Rank rank = 0; rank < world; ++rank) host_of.push_back(rank % 2);
  return std::make_shared<const HostLayout>(HostLayout(host_of));
}

class EveryAlgorithm : public testing::TestWithParam<int> {};

TEST_P(EveryAlgorithm, UnfoldsToWhatTheWholeWorldIs) {
  const int world = GetParam();
  for (const algorithms::Algorithm& algorithm : algorithms::all()) {
    Request request{.collective = algorithm.collective, .world = world, .root = world / 2};
    if (!has_root(algorithm.collective)) request.root = 0;
    if (algorithm.uses_layout != algorithms::LayoutUse::kNone) request.layout = alternating(world);
    request.rows = algorithm.rows(request, std::size_t{1} << 20);
    const BuildSchedule build = builder_of(algorithm, request);
    const std::vector<RankSchedule> plain = build_all(world, build);
    const std::vector<FusedSchedule> fused = fuse_world(plain);
    const FoldedWorld folded = fuse_folded(build);
    const FoldedWorld lowered = lower_folded(build);
    for (std::size_t rank = 0; rank < plain.size(); ++rank) {
      const auto unfolded = unfold(folded, static_cast<Rank>(rank));
      EXPECT_EQ(describe(unfolded), describe(fused[rank])) << algorithm.name;
      EXPECT_EQ(unfolded.scratch_rows, fused[rank].scratch_rows) << algorithm.name;
      EXPECT_EQ(describe(unfold(lowered, static_cast<Rank>(rank))), describe(lower(plain[rank])));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Worlds, EveryAlgorithm, testing::Values(1, 2, 3, 4, 5, 7, 8, 12, 17));

TEST(Fold, WhatRanksDoInTurn_HasOneBase) {
  std::set<std::string> with_rotation;
  for (const algorithms::Algorithm& algorithm : algorithms::all()) {
    Request request{.collective = algorithm.collective, .world = 6};
    if (algorithm.uses_layout != algorithms::LayoutUse::kNone) request.layout = alternating(6);
    request.rows = algorithm.rows(request, 1);
    const FoldedWorld folded = fuse_folded(builder_of(algorithm, request));
    EXPECT_EQ(folded.bases.size() * static_cast<std::size_t>(folded.rotation.order()), 6U);
    if (folded.rotation.order() == 6) with_rotation.emplace(algorithm.name);
  }
  EXPECT_EQ(with_rotation, (std::set<std::string>{"bidirectional_ring", "bruck", "direct",
                                                  "dissemination", "neighbour_ring", "one_shot",
                                                  "pairwise", "pat", "ring", "weighted_direct"}));
}

/// 1: it has none.
int order_of(const BuildSchedule& build) {
  const auto folded = fold(build(0), build);
  return folded ? folded->rotation.order() : 1;
}

/// A ring all-reduce of five, of which rank 3 does `wrong` to its ops.
template <typename Wrong>
int order_with(Wrong wrong) {
  const auto build = [&](Rank rank) {
    RankSchedule own = algorithms::ring_all_reduce({.world = 5, .rank = rank, .rows = 5});
    if (rank == 3) wrong(own);
    return own;
  };
  return order_of(build);
}

TEST(Fold, OneRankDoesAnotherThing_HasNoRotation) {
  using Ops = std::vector<Op>;
  EXPECT_EQ(order_with([](RankSchedule&) {}), 5);
  const auto with_ops = [](auto wrong) {
    return order_with([&](RankSchedule& own) { wrong(own.lanes[0]); });
  };
  EXPECT_EQ(with_ops([](Ops& ops) { ops[2].peer = 0; }), 1);
  EXPECT_EQ(with_ops([](Ops& ops) { ops[2].source.chunk = 0; }), 1);
  EXPECT_EQ(with_ops([](Ops& ops) { ops[2].source.buffer = BufferRole::kInput; }), 1);
  EXPECT_EQ(with_ops([](Ops& ops) { ops[1].target.chunk = 4; }), 1);
  EXPECT_EQ(with_ops([](Ops& ops) { ops[1].kind = OpKind::kRecv; }), 1);
  EXPECT_EQ(with_ops([](Ops& ops) { ops[1].final = true; }), 1);
  EXPECT_EQ(with_ops([](Ops& ops) { ops[1].lane = 1; }), 1);
  EXPECT_EQ(with_ops([](Ops& ops) { ops.pop_back(); }), 1);
  EXPECT_EQ(order_with([](RankSchedule& own) { own.lanes.emplace_back(); }), 1);
  EXPECT_EQ(order_with([](RankSchedule& own) { own.scratch_rows.push_back(0); }), 1);
}

TEST(Fold, OneRankHasItsInputElsewhere_HasNoRotation) {
  const auto build = [](Rank rank) {
    return algorithms::direct_all_gather(
        {.collective = Collective::kAllGather, .world = 4, .rank = rank, .rows = 4});
  };
  EXPECT_EQ(order_of(build), 4);
  const auto wrong = [&](Rank rank) {
    RankSchedule own = build(rank);
    if (rank == 2) own.request.rank = 1;
    return own;
  };
  EXPECT_EQ(order_of(wrong), 1);
}

RankSchedule reduce_scatter(Rank rank) {
  return algorithms::direct_reduce_scatter(
      {.collective = Collective::kReduceScatter, .world = 4, .rank = rank, .rows = 4});
}

TEST(FoldJoined, SourcesInTheRanksOrder_AreTurnsThatKeepIt) {
  EXPECT_EQ(order_of(reduce_scatter), 1) << "op by op, they are no turns";
  const auto folded = fold_joined(reduce_scatter(0), reduce_scatter);
  ASSERT_TRUE(folded);
  EXPECT_TRUE(folded->bases[0].lanes[0].back().by_rank);
  const FusedSchedule third = unfold(*folded, 2);
  EXPECT_EQ(describe_sweep(third, 0, 3),
            "sweep 4/4 {rank 0, rank 1, input 2, rank 3} -> {output 2}, row 2 (final) [lane 0]");
  EXPECT_FALSE(third.lanes[0].back().by_rank);
}

TEST(FoldJoined, OneRankInAnotherOrder_HasNoRotation) {
  const auto wrong = [](Rank rank) {
    RankSchedule own = reduce_scatter(rank);
    if (rank != 2) return own;
    std::vector<Op>& ops = own.lanes[0];  // sends to 3, 0, 1; takes of 0, 1, 2, 3
    std::swap(ops[3].peer, ops[4].peer);
    return own;
  };
  EXPECT_FALSE(fold_joined(wrong(0), wrong));
}

TEST(Rotation, RowsThatComeBackTooSoonOrTooLate_HaveNone) {
  const std::vector<Rank> cycle{0, 2, 1};
  const auto along = [&](std::vector<std::uint32_t> next_row) {
    return Rotation::along(cycle, next_row).has_value();
  };
  EXPECT_TRUE(along({1, 2, 0}));
  EXPECT_TRUE(along({1, 2, 0, 5, 3, 4}));
  EXPECT_TRUE(along({0, 1}));
  EXPECT_FALSE(along({1, 2, 0, 3}));
  EXPECT_FALSE(along({1, 0}));
  EXPECT_FALSE(along({1, 2, 3, 0}));
  EXPECT_FALSE(along({1, 1, 1}));
}

TEST(Rotation, Turns_FollowTheCycle) {
  const auto rotation =
      Rotation::along(std::vector<Rank>{0, 2, 1}, std::vector<std::uint32_t>{1, 2, 0});
  ASSERT_TRUE(rotation);
  EXPECT_EQ(rotation->turn(1), 2);
  EXPECT_EQ(rotation->turned(2, 1), 1);
  EXPECT_EQ(rotation->turned(2, -1), 0);
  EXPECT_EQ(rotation->turned(2, -3), 2);
  EXPECT_EQ(rotation->turned_row(2, 2), 1U);
  EXPECT_EQ(rotation->base_row(2), 0U);
  EXPECT_EQ(rotation->row_turn(2), 2);
}

}  // namespace
}  // namespace rondo::schedule
