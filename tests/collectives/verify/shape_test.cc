#include "collectives/verify/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace rondo::verify {
namespace {

using schedule::BufferRole;
using schedule::Builder;
using schedule::FusedSchedule;

std::vector<FusedSchedule> world(const std::function<void(Builder&)>& rank_1) {
  std::vector<FusedSchedule> list;
  for (int rank = 0; rank < 2; ++rank) {
    Builder builder({.world = 2, .rank = rank, .rows = 2});
    if (rank == 1) rank_1(builder);
    list.push_back(lower(std::move(builder).finish()));
  }
  return list;
}

void expect_refused(const std::vector<FusedSchedule>& list, const char* because) {
  const Status status = check_shape(list);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(status.culprit(), 1);
  EXPECT_THAT(status.to_string(), testing::HasSubstr(because));
}

constexpr schedule::Slice kInput0{BufferRole::kInput, 0};
constexpr schedule::Slice kOutput0{BufferRole::kOutput, 0};
constexpr schedule::Slice kOutput1{BufferRole::kOutput, 1};

TEST(Shape, RightWorld_IsAccepted) {
  EXPECT_TRUE(check_shape(world([](Builder& b) { b.copy(kInput0, kOutput0); })).ok());
}

TEST(Shape, SlicesAndPeersThatDoNotExist_AreRefused) {
  expect_refused(world([](Builder& b) { b.send(1, kInput0); }), "rank 1 is no peer");
  expect_refused(world([](Builder& b) { b.send(2, kInput0); }), "rank 2 is no peer");
  expect_refused(world([](Builder& b) { b.recv(0, {BufferRole::kOutput, 2}); }), "no row 2");
  expect_refused(world([](Builder& b) {
                   b.recv(0, {BufferRole::kScratch, 0});
                 }),
                 "rank 1 has no scratch 0");
  expect_refused(world([](Builder& b) { b.copy(kOutput0, kInput0); }), "writes to the input");
  expect_refused(world([](Builder& b) { b.send(0, kInput0, 1); }), "rank 0 has no such lane");
  expect_refused(world([](Builder& b) { b.wait(0, 3, 1); }), "doesn't exist");
}

TEST(Shape, RowsOfDifferentSizes_AreRefused) {
  expect_refused(world([](Builder& b) { b.copy(kInput0, kOutput1); }), "not of row 1");
}

TEST(Shape, Error_NamesRankAndSweep) {
  const Status status = check_shape(world([](Builder& b) {
    b.copy(kInput0, kOutput0);
    b.copy(kInput0, kOutput1);
  }));
  EXPECT_EQ(status.where(), "rank 1, op 2/2 of lane 0");
}

TEST(Shape, MessageWithoutMemoryBehindIt_IsRefused) {
  auto list = world([](Builder& b) {
    b.recv(0, kOutput0);
    b.send(0, kOutput0);
  });
  FusedSchedule& own = list[1];
  own.lanes[0][0].first_target = own.lanes[0][1].first_target;  // straight from channel to channel
  expect_refused(list, "lies in no memory");
}

TEST(Shape, TwoMessagesToOneChannel_AreRefused) {
  auto list = world([](Builder& b) {
    b.send(0, kInput0);
    b.send(0, kInput0);
  });
  FusedSchedule& own = list[1];
  own.ports.push_back(own.ports[own.lanes[0][0].first_target]);
  own.ports.push_back(own.ports.back());
  own.lanes[0][0].first_target = static_cast<std::uint32_t>(own.ports.size() - 2);
  own.lanes[0][0].target_count = 2;
  expect_refused(list, "share the channel");
}

TEST(Shape, DirectStoreIntoAnInput_IsRefused) {
  auto list = world([](Builder& b) { b.send(0, kInput0); });
  auto& port = list[1].ports[list[1].lanes[0][0].first_target];
  port.direct = true;
  port.slice = kInput0;
  expect_refused(list, "stores into a peer's input");
}

TEST(Shape, RanksThatDisagree_AreRefused) {
  auto list = world([](Builder&) {});
  list[1].request.rows = 3;
  expect_refused(list, "differ from those of rank 0");
  list[1].request.rows = 2;
  list[1].request.rank = 0;
  expect_refused(list, "made for rank 0");
}

}  // namespace
}  // namespace rondo::verify
