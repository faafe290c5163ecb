#include "collectives/schedule/join.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectives/schedule/print.h"

namespace rondo::schedule {
namespace {

constexpr Slice kInput{BufferRole::kInput, 0};
constexpr Slice kOutput{BufferRole::kOutput, 0};

Builder builder() { return Builder({.world = 4, .rank = 0, .rows = 2}); }

std::vector<std::string> lines(const FusedSchedule& schedule, std::size_t lane = 0) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < schedule.lanes[lane].size(); ++i) {
    const std::string line = describe_sweep(schedule, lane, i);
    list.push_back(line.substr(line.find(' ', 6) + 1));
  }
  return list;
}

TEST(Join, RecvReduceThenSend_BecomesOneSweep) {
  Builder b = builder();
  b.recv_reduce(3, kInput, kOutput, false);
  b.send(1, kOutput);
  EXPECT_THAT(lines(join_neighbours(std::move(b).finish())),
              testing::ElementsAre("{input 0, rank 3} -> {output 0, rank 1}, row 0 [lane 0]"));
}

TEST(Join, RecvThenSends_ForwardsToAll) {
  Builder b = builder();
  b.recv(3, kOutput);
  b.send(1, kOutput);
  b.send(2, kOutput);
  EXPECT_THAT(lines(join_neighbours(std::move(b).finish())),
              testing::ElementsAre("{rank 3} -> {output 0, rank 1, rank 2}, row 0 [lane 0]"));
}

TEST(Join, RunOfReductions_KeepsScheduleOrderAndLosesItsScratch) {
  Builder b = builder();
  const Slice unused = b.scratch(1);
  const Slice partial = b.scratch(0);
  b.recv(1, partial);
  b.reduce(kInput, partial, partial, false);
  b.recv_reduce(2, partial, partial, false);
  b.recv_reduce(3, partial, kOutput, true);
  b.send(2, kOutput);
  const FusedSchedule joined = join_neighbours(std::move(b).finish());
  EXPECT_THAT(lines(joined),
              testing::ElementsAre("{rank 1, input 0, rank 2, rank 3} -> {output 0, rank 2}, row 0 "
                                   "(final) [lane 0]"));
  EXPECT_TRUE(joined.scratch_rows.empty()) << "slot " << unused.chunk << " has no use either";
}

TEST(Join, AccumulatorReadLater_KeepsItsStore) {
  Builder b = builder();
  const Slice partial = b.scratch(0);
  b.recv(1, partial);
  b.recv_reduce(2, partial, kOutput, false);
  b.send(3, partial);
  const FusedSchedule joined = join_neighbours(std::move(b).finish());
  EXPECT_EQ(joined.lanes[0].size(), 3U);
  EXPECT_EQ(joined.scratch_rows.size(), 1U);
}

TEST(Join, DeadScratchBehindAMessage_IsKept) {
  Builder b = builder();
  const Slice partial = b.scratch(0);
  b.recv_reduce(1, kInput, partial, false);
  b.send(2, partial);
  EXPECT_THAT(lines(join_neighbours(std::move(b).finish())),
              testing::ElementsAre("{input 0, rank 1} -> {scratch 0, rank 2}, row 0 [lane 0]"));
}

TEST(Join, DeadScratchBesideTheOutput_IsDropped) {
  Builder b = builder();
  const Slice partial = b.scratch(0);
  b.recv_reduce(1, kInput, partial, false);
  b.copy(partial, kOutput);
  EXPECT_THAT(lines(join_neighbours(std::move(b).finish())),
              testing::ElementsAre("recv_reduce <- rank 1, row 0 [lane 0]"));
}

TEST(Join, SendOfTheCopiedSource_StaysApart) {
  // Joined, the message would be lent from the copy, which the next op overwrites.
  Builder b = builder();
  b.copy(kInput, kOutput);
  b.send(1, kInput);
  b.recv(2, kOutput);
  EXPECT_EQ(join_neighbours(std::move(b).finish()).lanes[0].size(), 3U);
}

TEST(Join, TwoMessagesOfOneChannel_StayApart) {
  Builder b = builder();
  b.send(1, kInput);
  b.send(1, kInput);
  b.recv_reduce(1, kInput, kOutput, false);
  b.recv_reduce(1, kOutput, kOutput, false);
  EXPECT_EQ(join_neighbours(std::move(b).finish()).lanes[0].size(), 4U);
}

TEST(Join, Wait_SeparatesAndPointsAtTheJoinedSweep) {
  Builder b = builder();
  b.recv(1, kOutput);
  b.send(2, kOutput);
  b.send(3, kInput);
  b.wait(0, 2, 1);
  b.copy(kInput, kOutput, 1);
  const FusedSchedule joined = join_neighbours(std::move(b).finish());
  EXPECT_THAT(lines(joined, 1), testing::ElementsAre("wait for sweep 2 of lane 0 [lane 1]",
                                                     "{input 0} -> {output 0}, row 0 [lane 1]"));
}

}  // namespace
}  // namespace rondo::schedule
