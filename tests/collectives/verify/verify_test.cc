#include "collectives/verify/verify.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "collectives/algorithms/ring_all_reduce.h"
#include "collectives/schedule/fuse.h"
#include "collectives/verify/waiting_probe.h"

namespace rondo::verify {
namespace {

using schedule::BufferRole;
using schedule::Builder;
using schedule::Collective;
using schedule::FusedSchedule;
using schedule::Rank;
using schedule::RankSchedule;
using schedule::Slice;

constexpr Slice kInput{BufferRole::kInput, 0};
constexpr Slice kOutput{BufferRole::kOutput, 0};
constexpr Model kEager{.lent = false, .in_place = false, .credits = 4};
constexpr Model kDirectInPlace{.lent = true, .in_place = true, .credits = 4};

std::vector<RankSchedule> ring(int world) {
  std::vector<RankSchedule> list;
  for (Rank rank = 0; rank < world; ++rank) {
    const auto rows = static_cast<std::uint32_t>(world);
    list.push_back(algorithms::ring_all_reduce({.world = world, .rank = rank, .rows = rows}));
  }
  return list;
}

std::vector<FusedSchedule> lowered(const std::vector<RankSchedule>& world) {
  std::vector<FusedSchedule> list;
  for (const RankSchedule& own : world) list.push_back(schedule::lower(own));
  return list;
}

std::vector<FusedSchedule> write(int world, const std::function<void(Builder&, Rank)>& ops,
                                 Collective collective = Collective::kAllReduce) {
  std::vector<FusedSchedule> list;
  for (Rank rank = 0; rank < world; ++rank) {
    Builder builder({.collective = collective, .world = world, .rank = rank});
    ops(builder, rank);
    list.push_back(schedule::lower(std::move(builder).finish()));
  }
  return list;
}

void expect_error(const Result<Report>& report, const char* text, int culprit) {
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.status().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(report.status().to_string(), testing::HasSubstr(text));
  EXPECT_EQ(report.status().culprit(), culprit);
}

TEST(Verify, Ring_IsRightAndNeedsOneCreditPlainAndTwoFused) {
  const auto plain = verify(lowered(ring(5)));
  ASSERT_TRUE(plain.ok()) << plain.status().to_string();
  EXPECT_EQ(plain->least_credits, 1U);
  EXPECT_EQ(plain->sweeps, 4U * 5U * 16U);
  EXPECT_EQ(plain->messages, 4U * 5U * 8U);
  const auto fused = verify(schedule::fuse_world(ring(5)));
  ASSERT_TRUE(fused.ok()) << fused.status().to_string();
  EXPECT_EQ(fused->least_credits, 2U);
}

TEST(Verify, ContributionAddedTwiceOrReadFromNowhere_IsRefused) {
  auto world = ring(3);
  world[1].lanes[0][1].source = {BufferRole::kOutput, 0};  // never written: out of place
  expect_error(verify(lowered(world), kEager), "output 0: reads memory that nothing was stored to",
               1);
  const auto twice = write(2, [](Builder& b, Rank rank) {
    b.send(1 - rank, kInput);
    b.send(1 - rank, kInput);
    const Slice partial = b.scratch(0);
    b.recv_reduce(1 - rank, kInput, partial, false);
    b.recv_reduce(1 - rank, partial, kOutput, true);
  });
  const auto report = verify(twice, kEager);
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.status().message(),
              testing::StartsWith("completes a row, but is not marked final"));
}

TEST(Verify, MissingContribution_NamesWhatIsHeldAndWhatShouldBe) {
  const auto world = write(3, [](Builder& b, Rank rank) {
    if (rank == 0) {
      b.recv_reduce(1, kInput, kOutput, false);
      b.send(1, kOutput);
      b.send(2, kOutput);
    } else {
      if (rank == 1) b.send(0, kInput);
      b.recv(0, kOutput);
    }
  });
  expect_error(
      verify(world, kEager),
      "output 0 of rank 0 holds row 0 of ranks {0, 1}; it should hold row 0 of every rank "
      "once; made by rank 0, op 1/3 recv_reduce <- rank 1, row 0 [lane 0] (eager channels, "
      "out of place)",
      0);
}

TEST(Verify, WrongFinal_IsNamed) {
  auto world = ring(3);
  world[2].lanes[0][1].final = true;
  expect_error(verify(lowered(world), kEager),
               "is marked final, but its result is row 1 of ranks {1, 2}", 2);
  world = ring(3);
  world[2].lanes[0][3].final = false;
  expect_error(verify(lowered(world), kEager), "completes a row, but is not marked final", 2);
}

/// Wherever it is noticed: where a rank passes on what is wrong, that is behind the mistake.
TEST(Verify, AnOpThatReplacesInsteadOfAdding_IsToBlameWhereverThatIsNoticed) {
  for (Rank rank = 0; rank < 5; ++rank) {
    const auto right = ring(5);
    const auto& ops = right[static_cast<std::size_t>(rank)].lanes[0];
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind != schedule::OpKind::kRecvReduce) continue;
      auto world = right;
      schedule::Op& op = world[static_cast<std::size_t>(rank)].lanes[0][i];
      op.kind = schedule::OpKind::kRecv;
      op.final = false;
      const std::string place = fmt::format("the mistake is at rank {}, op {}/{} recv <- rank {},",
                                            rank, i + 1, ops.size(), op.peer);
      expect_error(verify(lowered(world), kEager), place.c_str(), rank);
      expect_error(verify_values({schedule::Rotation::none(5), lowered(world)}), place.c_str(),
                   rank);
    }
  }
}

TEST(Verify, AnOpThatAddsASecondTime_IsToBlame) {
  const auto twice = write(3, [](Builder& b, Rank rank) {
    if (rank == 0) {
      b.send(1, kInput);
      b.send(2, kInput);
      b.recv(2, kOutput);
    } else if (rank == 1) {
      b.recv_reduce(0, kInput, b.scratch(0), false);
      b.send(2, {BufferRole::kScratch, 0});
      b.recv(2, kOutput);
    } else {
      b.recv_reduce(0, kInput, b.scratch(0), false);
      b.recv_reduce(1, {BufferRole::kScratch, 0}, kOutput, false);
      b.send(0, kOutput);
      b.send(1, kOutput);
    }
  });
  expect_error(
      verify(twice, kEager),
      "the mistake is at rank 2, op 2/4 recv_reduce <- rank 1, row 0 [lane 0]: it adds row "
      "0 of rank 0 a second time",
      2);
}

TEST(Verify, TheSendWhoseMemoryIsOverwritten_IsNamedToo) {
  const auto overwritten = write(2, [](Builder& b, Rank rank) {
    b.copy(kInput, kOutput);
    b.send(1 - rank, kOutput);
    b.recv_reduce(1 - rank, kInput, kOutput, true);
  });
  expect_error(verify(overwritten, kDirectInPlace),
               "writes to memory whose send may still be pending (rank 0, op 2/3 send -> rank 1, ",
               0);
}

TEST(Verify, AnotherOrderOnOneRank_IsRefusedAlthoughTheSumIsRight) {
  const auto one_shot = [](bool same_order) {
    return write(3, [=](Builder& b, Rank rank) {
      for (Rank peer = 0; peer < 3; ++peer) {
        if (peer != rank) b.send(peer, kInput);
      }
      std::vector<Slice> parts;
      for (Rank peer = 0; peer < 3; ++peer) {
        parts.push_back(peer == rank ? kInput : b.scratch(0));
        if (peer != rank) b.recv(peer, parts.back());
      }
      if (rank == 2 && !same_order) std::swap(parts[0], parts[2]);
      const Slice partial = b.scratch(0);
      b.reduce(parts[0], parts[1], partial, false);
      b.reduce(partial, parts[2], kOutput, true);
    });
  };
  EXPECT_TRUE(verify(one_shot(true), kEager).ok());
  expect_error(verify(one_shot(false), kEager), "added up in another order", 2);
}

TEST(Verify, Deadlock_SaysWhoWaitsForWhat) {
  const auto world = write(2, [](Builder& b, Rank rank) {
    b.recv_reduce(1 - rank, kInput, kOutput, true);
    b.send(1 - rank, kInput);
  });
  expect_error(verify(world, kEager), "rank 1 at op 1/2 recv_reduce <- rank 0, row 0", 0);
}

TEST(Verify, CreditsThatAreNeeded_AreFound) {
  const auto world = write(2, [](Builder& b, Rank rank) {
    b.send(1 - rank, kInput);
    b.send(1 - rank, kInput);
    b.send(1 - rank, kInput);
    b.recv(1 - rank, b.scratch(0));
    b.recv(1 - rank, b.scratch(0));
    b.recv_reduce(1 - rank, kInput, kOutput, true);
  });
  const auto report = verify(world, kEager);
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  EXPECT_EQ(report->least_credits, 4U) << "powers of two are tried: 2 are too few, 3 would do";
  EXPECT_FALSE(verify(world, {.credits = 2}).ok());
}

TEST(Verify, MessageNobodyReceives_IsRefused) {
  const auto world = write(2, [](Builder& b, Rank rank) {
    b.send(1 - rank, kInput);
    b.recv_reduce(1 - rank, kInput, kOutput, true);
    if (rank == 0) b.send(1, kInput);
  });
  expect_error(verify(world, kEager),
               "rank 1 never receives the last 1 message(s) that rank 0 sends it on lane 0 (it was "
               "sent by rank 0, op 3/3 send -> rank 1, row 0",
               1);
}

TEST(Verify, WriteToAPendingSource_IsRefusedWhereMessagesAreLent) {
  const auto world = write(2, [](Builder& b, Rank rank) {
    b.send(1 - rank, kInput);
    b.recv_reduce(1 - rank, kInput, kOutput, true);
  });
  EXPECT_TRUE(verify(world, kEager).ok());
  EXPECT_TRUE(verify(world, {.lent = true, .in_place = false, .credits = 1}).ok());
  EXPECT_TRUE(verify(world, {.lent = false, .in_place = true, .credits = 1}).ok());
  const auto report = verify(world, kDirectInPlace);
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.status().message(),
              testing::StartsWith("output 0: writes to memory whose send may still be pending"));
}

TEST(Verify, DirectStoreThatIsNotProved_IsRefused) {
  auto world = lowered(ring(3));
  auto& port = world[0].ports[world[0].lanes[0][0].first_target];
  port.direct = true;
  port.slice = {BufferRole::kOutput, 0};
  EXPECT_TRUE(verify(world, kEager).ok()) << "eager channels store nothing";
  expect_error(verify(world, kDirectInPlace), "stores into a peer's memory", 0);
}

TEST(Verify, StoresThatCannotBeMapped_MustBeRightAsMessagesToo) {
  // Rank 0's message is lent from output 0, which its next op overwrites: right where the sweep has
  // stored straight into rank 1, wrong where rank 1 reads later.
  const auto ops = [](Builder& b, Rank rank) {
    if (rank == 0) {
      const Slice kept = b.scratch(0);
      b.recv_reduce(1, kInput, kOutput, true);
      b.send(1, kOutput);
      b.copy(kOutput, kept);
      b.copy(kept, kOutput);
    } else {
      b.send(0, kInput);
      b.recv(0, kOutput);
    }
  };
  auto world = write(2, ops);
  auto& port = world[0].ports[world[0].lanes[0][1].first_target];
  port.direct = true;
  port.slice = kOutput;
  EXPECT_TRUE(verify(world, {.lent = true, .credits = 1, .stores = true}).ok());
  expect_error(
      verify(world),
      "may still be pending (rank 0, op 2/4 send -> rank 1 (direct), row 0 [lane 0]) (direct "
      "channels without stores",
      0);
}

TEST(Verify, MessageOfAnotherRow_IsRefused) {
  auto world = ring(3);
  world[1].lanes[0][0].source.chunk = 2;
  expect_error(
      verify(lowered(world), kEager),
      "takes the message of row 2 from rank 1 for row 1 (it was sent by rank 1, op 1/8 send "
      "-> rank 2, row 2",
      2);
}

TEST(Verify, BarrierWithoutLastRound_IsRefused) {
  const auto world = write(
      4,
      [](Builder& b, Rank rank) {
        b.send((rank + 1) % 4, kInput);
        b.recv((rank + 3) % 4, kOutput);
      },
      Collective::kBarrier);
  expect_error(verify(world), "can leave the barrier before rank", 0);
}

TEST(Verify, Waits_OrderLanesAndConsumedSends) {
  for (int world = 2; world <= 5; ++world) {
    std::vector<RankSchedule> probe;
    for (Rank rank = 0; rank < world; ++rank) {
      probe.push_back(waiting_probe({.world = world, .rank = rank}));
    }
    const auto report = verify(lowered(probe));
    ASSERT_TRUE(report.ok()) << report.status().to_string();
    EXPECT_TRUE(verify(schedule::fuse_world(probe)).ok());
    std::vector<schedule::Op>& lane = probe[0].lanes[1];
    lane.erase(lane.end() - 2);  // the last wait for a send
    expect_error(verify(lowered(probe), kDirectInPlace), "output 0", 0);
    EXPECT_TRUE(verify(lowered(probe), {.lent = true, .in_place = false, .credits = 4}).ok());
  }
}

/// Rank 0 stores straight into rank 1, or so it hopes, and at once writes to what it sent from.
std::vector<FusedSchedule> world_that_must_store() {
  std::vector<FusedSchedule> world;
  for (Rank rank = 0; rank < 2; ++rank) {
    Builder b({.collective = Collective::kAllGather, .world = 2, .rank = rank, .rows = 2});
    const Slice own{BufferRole::kOutput, static_cast<std::uint32_t>(rank)};
    b.copy({BufferRole::kInput, static_cast<std::uint32_t>(rank)}, own);
    if (rank == 0) {
      const Slice slot = b.scratch(0);
      b.recv(1, {BufferRole::kOutput, 1});
      b.copy(own, slot);
      b.send(1, slot);
      b.copy(own, slot);
    } else {
      b.send(0, own);
      b.recv(0, {BufferRole::kOutput, 0});
    }
    world.push_back(schedule::lower(std::move(b).finish()));
  }
  return world;
}

TEST(VerifyAtOnce, WorldThatIsRightOnlyIfStoresHappen_IsRefusedAsByAllModels) {
  std::vector<FusedSchedule> world = world_that_must_store();
  const schedule::Sweep& send = world[0].lanes[0][3];
  schedule::Port& port = world[0].ports[send.first_target];
  ASSERT_TRUE(port.is_channel());
  port.direct = true;
  port.slice = {BufferRole::kOutput, 0};
  const Model stores{.lent = true, .in_place = true, .credits = 2};
  EXPECT_TRUE(verify(world, stores).ok()) << verify(world, stores).status().to_string();
  expect_error(verify_at_once(world), "send may still be pending", 0);
}

TEST(VerifyAtOnce, RightWorld_NeedsOneRunAndTheSameCredits) {
  const auto fused = schedule::fuse_world(ring(5));
  const auto all = verify(fused);
  const auto once = verify_at_once(fused);
  ASSERT_TRUE(all.ok() && once.ok());
  EXPECT_EQ(once->least_credits, all->least_credits);
  EXPECT_EQ(once->sweeps * 6, all->sweeps) << "of six models";
}

/// Right in place alone: out of place nothing was written to the output that is sent.
std::vector<FusedSchedule> broadcast_of_the_output() {
  return write(
      2,
      [](Builder& b, Rank rank) {
        if (rank == 0) b.send(1, kOutput);
        if (rank == 1) b.recv(0, kOutput);
      },
      Collective::kBroadcast);
}

/// Right out of place alone: in place the sum has replaced the input that is sent last.
std::vector<FusedSchedule> input_after_output() {
  return write(2, [](Builder& b, Rank rank) {
    if (rank == 1) b.send(0, kInput);
    b.recv_reduce(1 - rank, kInput, kOutput, true);
    if (rank == 0) b.send(1, kInput);
  });
}

TEST(VerifyAtOnce, WhatIsRightInPlaceAloneOrOutOfPlaceAlone_IsRefused) {
  for (const auto& world : {broadcast_of_the_output(), input_after_output()}) {
    int right = 0;
    for (const bool in_place : {false, true}) {
      if (verify(world, Model{.in_place = in_place, .credits = 2}).ok()) ++right;
    }
    EXPECT_EQ(right, 1);
    const auto once = verify_at_once(world);
    ASSERT_FALSE(once.ok());
    EXPECT_EQ(once.status().message(), verify(world).status().message());
  }
}

/// Every rank sums everything: in the order of `turn`, added on the right or, once, on the left.
std::vector<FusedSchedule> one_shot_in_order(int world, bool fused, Rank first, bool swapped) {
  std::vector<RankSchedule> schedules;
  for (Rank rank = 0; rank < world; ++rank) {
    Builder b({.world = world, .rank = rank});
    for (Rank peer = 0; peer < world; ++peer) {
      if (peer != rank) b.send(peer, kInput);
    }
    std::vector<Slice> parts;
    for (Rank peer = 0; peer < world; ++peer) {
      parts.push_back(peer == rank ? kInput : b.scratch(0));
      if (peer != rank) b.recv(peer, parts.back());
    }
    std::rotate(parts.begin(), parts.begin() + first, parts.end());
    Slice sum = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const bool last = i + 1 == parts.size();
      const Slice next = last ? kOutput : b.scratch(0);
      const bool on_the_left = swapped && last;
      b.reduce(on_the_left ? parts[i] : sum, on_the_left ? sum : parts[i], next, last);
      sum = next;
    }
    schedules.push_back(std::move(b).finish());
  }
  return fused ? schedule::fuse_world(schedules) : lowered(schedules);
}

TEST(RankOrder, OneAfterTheOtherOnTheRight_IsAccepted) {
  for (const bool fused : {false, true}) {
    const auto report = verify(one_shot_in_order(4, fused, 0, false), kEager, Order::kRanks);
    EXPECT_TRUE(report.ok()) << report.status().to_string();
  }
}

TEST(RankOrder, AnotherFirstRankOrSide_IsRefusedThoughTheSumIsRight) {
  const char* text = "output 0 of rank 0 is combined in another order than rank by rank";
  for (const bool fused : {false, true}) {
    const auto from_one = one_shot_in_order(4, fused, 1, false);
    EXPECT_TRUE(verify(from_one, kEager).ok());
    expect_error(verify(from_one, kEager, Order::kRanks), text, 0);
  }
  const auto swapped = one_shot_in_order(4, false, 0, true);
  EXPECT_TRUE(verify(swapped, kEager).ok());
  expect_error(verify(swapped, kEager, Order::kRanks), text, 0);
}

TEST(RankOrder, RingAndGroups_AreRefused) {
  for (const bool fused : {false, true}) {
    const auto world = fused ? schedule::fuse_world(ring(3)) : lowered(ring(3));
    EXPECT_FALSE(verify(world, kEager, Order::kRanks).ok());
  }
  // (x0 + x1) + (x2 + x3): the ranks' order, but not one after the other.
  const auto pairs = write(4, [](Builder& b, Rank rank) {
    if (rank % 2 == 1) b.send(rank - 1, kInput), b.recv(0, kOutput);
    if (rank % 2 == 0) b.recv_reduce(rank + 1, kInput, rank == 0 ? kOutput : b.scratch(0), false);
    if (rank == 2) b.send(0, {BufferRole::kScratch, 0}), b.recv(0, kOutput);
    if (rank != 0) return;
    b.recv_reduce(2, kOutput, kOutput, true);
    for (Rank peer = 1; peer < 4; ++peer) b.send(peer, kOutput);
  });
  ASSERT_TRUE(verify(pairs, kEager).ok());
  expect_error(verify(pairs, kEager, Order::kRanks), "another order than rank by rank", 0);
}

TEST(RankOrder, MoreThanOneSweep_IsRefusedWhereOneIsAskedFor) {
  expect_error(verify(one_shot_in_order(3, false, 0, false), kEager, Order::kRanksInOneSweep),
               "output 0 of rank 0 is combined in 2 sweeps, not in one", 0);
}

}  // namespace
}  // namespace rondo::verify
