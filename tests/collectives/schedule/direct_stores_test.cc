#include "collectives/schedule/direct_stores.h"

#include <gtest/gtest.h>

namespace rondo::schedule {
namespace {

constexpr Slice kInput{BufferRole::kInput, 0};
constexpr Slice kOutput{BufferRole::kOutput, 0};

/// Two ranks; `rank0` and `rank1` write the ops. Returns whether each message of rank 0 is direct.
template <typename Rank0, typename Rank1>
std::vector<bool> direct_messages_of_rank_0(Rank0 rank0, Rank1 rank1) {
  std::vector<FusedSchedule> world;
  Builder first({.world = 2, .rank = 0, .rows = 2});
  rank0(first);
  world.push_back(lower(std::move(first).finish()));
  Builder second({.world = 2, .rank = 1, .rows = 2});
  rank1(second);
  world.push_back(lower(std::move(second).finish()));
  const Rotation none = Rotation::none(2);
  const auto causality = Causality::of(world, none);
  EXPECT_TRUE(causality);
  mark_direct_stores(world, *causality);
  std::vector<bool> direct;
  for (const Sweep& sweep : world[0].lanes[0]) {
    const Port& target = world[0].ports[sweep.first_target];
    if (target.kind == PortKind::kChannel) direct.push_back(target.direct);
  }
  return direct;
}

constexpr Slice kInput1{BufferRole::kInput, 1};
constexpr Slice kOutput1{BufferRole::kOutput, 1};

TEST(DirectStores, ReceiverKnownToHaveEnteredAndItsMemoryUntouched_AreDirect) {
  EXPECT_EQ(direct_messages_of_rank_0(
                [](Builder& b) {
                  b.recv(1, kOutput);
                  b.send(1, kInput1);
                },
                [](Builder& b) {
                  b.send(0, kInput);
                  b.recv(0, kOutput1);
                }),
            std::vector<bool>{true});
}

TEST(DirectStores, ReceiverMayNotHaveEntered_AreNot) {
  EXPECT_EQ(direct_messages_of_rank_0(
                [](Builder& b) {
                  b.copy(kInput, kOutput);
                  b.send(1, kInput1);
                },
                [](Builder& b) { b.recv(0, kOutput1); }),
            std::vector<bool>{false});
}

TEST(DirectStores, ReceiverReadsTheMemoryInBetween_AreNot) {
  EXPECT_EQ(direct_messages_of_rank_0(
                [](Builder& b) {
                  b.recv(1, kOutput);
                  b.send(1, kInput1);
                },
                [](Builder& b) {
                  b.send(0, kInput);
                  b.copy(kInput1, b.scratch(1));  // in place: the memory of output 1
                  b.recv(0, kOutput1);
                }),
            std::vector<bool>{false});
}

TEST(DirectStores, PendingSendOfTheMemory_AreDirectOnlyWhereItIsConsumedBefore) {
  const auto consumed_before = [](Builder& b) {
    b.recv(1, kOutput);
    b.recv(1, kOutput1);
    b.send(1, kInput1);
  };
  const auto consumed_after = [](Builder& b) {
    b.recv(1, kOutput);
    b.send(1, kInput1);
    b.recv(1, kOutput1);
  };
  const auto receiver = [](Builder& b) {
    b.send(0, kInput);
    b.send(0, kInput1);
    b.recv(0, kOutput1);
  };
  EXPECT_EQ(direct_messages_of_rank_0(consumed_before, receiver), std::vector<bool>{true});
  EXPECT_EQ(direct_messages_of_rank_0(consumed_after, receiver), std::vector<bool>{false});
}

TEST(DirectStores, PendingSendToAThirdRank_AreNot) {
  // Rank 1 has sent its input 1 to rank 2, and rank 0 knows that; but not that rank 2 has read it.
  std::vector<FusedSchedule> world;
  for (Rank rank = 0; rank < 3; ++rank) {
    Builder b({.world = 3, .rank = rank, .rows = 2});
    if (rank == 0) {
      b.recv(1, kOutput);
      b.send(1, kInput1);
    } else if (rank == 1) {
      b.send(2, kInput1);
      b.send(0, kInput);
      b.recv(0, kOutput1);
    } else {
      b.recv(1, kOutput1);
    }
    world.push_back(lower(std::move(b).finish()));
  }
  const Rotation none = Rotation::none(3);
  const auto causality = Causality::of(world, none);
  ASSERT_TRUE(causality);
  mark_direct_stores(world, *causality);
  for (const Port& port : world[0].ports) EXPECT_FALSE(port.direct);
}

TEST(DirectStores, ReceiverReduces_AreNot) {
  EXPECT_EQ(direct_messages_of_rank_0(
                [](Builder& b) {
                  b.recv(1, kOutput);
                  b.send(1, kInput1);
                },
                [](Builder& b) {
                  b.send(0, kInput);
                  b.recv_reduce(0, kInput1, kOutput1, true);
                }),
            std::vector<bool>{false});
}

}  // namespace
}  // namespace rondo::schedule
