// Schedules whose lanes wait for each other, on emulated devices whose streams run late in another
// way for each seed: the bits of the host. Either half of the wait left out is found out: the other
// lane's work, and that what it sent has been read.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "collectives/execute/device/lane_waits.h"
#include "collectives/schedule/fuse.h"
#include "core/device/emulated/emulated.h"
#include "tests/collectives/execute/device/late_places.h"

namespace rondo::execute {
namespace {

using schedule::BufferRole;
using schedule::Builder;
using schedule::Request;
using schedule::Slice;

constexpr Slice kInput{BufferRole::kInput, 0};
constexpr Slice kOutput{BufferRole::kOutput, 0};

std::uint32_t one_row(const Request&, std::size_t) { return 1; }

/// Every rank's contribution goes once round. The first lane sends it on and gets the next one; the
/// second adds that, and puts it where it is sent from once the peer has read what lay there.
schedule::RankSchedule passed_on(const Request& request) {
  Builder b(request);
  const int next = (request.rank + 1) % request.world;
  const int before = (request.rank + request.world - 1) % request.world;
  const Slice sent = b.scratch(0), got = b.scratch(0);
  b.copy(kInput, sent);
  std::uint32_t first = 1, second = 0;  // the next op's number, by lane
  for (int step = 1; step < request.world; ++step) {
    const bool last = step == request.world - 1;
    b.send(next, sent);
    b.recv(before, got);
    b.wait(0, first++, 1);
    b.wait(0, first++, 1);
    b.reduce(step == 1 ? kInput : kOutput, got, kOutput, last, 1);
    second += 3;
    if (last) break;
    b.copy(got, sent, 1);
    b.wait(1, second++, 0);
    ++first;
  }
  return std::move(b).finish();
}

/// Rank 0 stores the sum to all; when they have it, its second lane sends it once more, to the same
/// place.
schedule::RankSchedule sent_twice(const Request& request) {
  Builder b(request);
  if (request.rank > 0) {
    b.send(0, kInput);
    b.recv(0, kOutput);
    b.recv(0, kOutput, 1);
    return std::move(b).finish();
  }
  for (int peer = 1; peer < request.world; ++peer)
    b.recv_reduce(peer, peer == 1 ? kInput : kOutput, kOutput, peer == request.world - 1);
  for (int peer = 1; peer < request.world; ++peer) b.send(peer, kOutput);
  for (int peer = 1; peer < request.world; ++peer)
    b.wait(0, static_cast<std::uint32_t>(request.world - 2 + peer), 1);
  const Slice copy = b.scratch(0);
  b.copy(kOutput, copy, 1);
  for (int peer = 1; peer < request.world; ++peer) b.send(peer, copy, 1);
  return std::move(b).finish();
}

const algorithms::Algorithm kPassedOn{"passed_on", schedule::Collective::kAllReduce, passed_on,
                                      one_row, "a ring of two lanes"};
const algorithms::Algorithm kSentTwice{"sent_twice", schedule::Collective::kAllReduce, sent_twice,
                                       one_row, "a star of two lanes"};

schedule::SharedLayout layout_of(std::vector<int> host_of_rank) {
  return std::make_shared<const schedule::HostLayout>(std::move(host_of_rank));
}

struct Way {
  transport::TransportKind inside = transport::TransportKind::kInproc;
  bool in_place = false;
  std::optional<DeviceWait> left_out{};
  int longest_us = 150;
};

/// How many of so many seeds end with other bits than the host's. Where a wait is left out, until
/// one does.
int wrong_seeds(const algorithms::Algorithm& algorithm, int seeds, const Way& way) {
  const auto layout = layout_of({0, 0, 0, 0});
  // Of integers: ranks add in different orders.
  LateCall late{.call = std::make_shared<const BuiltInCall>(
                    algorithm, layout, 0, BuiltInCall::kSegmentBytes, DataType::kI32),
                .expected = {},
                .manner = {.in_place = way.in_place}};
  late.expected = late.call->on_host();
  std::vector<LateRank> ranks = connected_places(layout, way.inside);
  int wrong = 0;
  for (late.seed = 0; late.seed < seeds && (wrong == 0 || !way.left_out); ++late.seed) {
    const auto driver =
        device::make_emulated_driver({.memory_bytes = std::size_t{1} << 20,
                                      .lateness = {.seed = static_cast<std::uint64_t>(late.seed),
                                                   .longest_us = way.longest_us}});
    const auto results = run_late(ranks, late, *driver, way.left_out);
    bool right = true;
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_TRUE(results[i].ok()) << results[i].status().to_string();
      right = right && results[i].ok() && *results[i] == late.expected[i];
    }
    if (!right) ++wrong;
  }
  return wrong;
}

void check_late_streams(transport::TransportKind inside) {
  for (const auto* algorithm : {&kPassedOn, &kSentTwice}) {
    for (const bool in_place : {false, true}) {
      EXPECT_EQ(wrong_seeds(*algorithm, 16, {.inside = inside, .in_place = in_place}), 0)
          << algorithm->name << (in_place ? ", in place" : "");
    }
  }
}

TEST(WaitingLanes, WhoseStreamsAreLate_HaveTheBitsOfTheHost) {
  check_late_streams(transport::TransportKind::kInproc);
}
TEST(WaitingLanesOverSharedMemory, WhoseStreamsAreLate_HaveTheBitsOfTheHost) {
  check_late_streams(transport::TransportKind::kShm);
}

TEST(WaitingLanesWithoutTheWait, ForTheOtherLane_AreWrong) {
  const Way way{.left_out = DeviceWait::kSweep, .longest_us = 1'000};
  EXPECT_GT(wrong_seeds(kPassedOn, 200, way), 0);
}
TEST(WaitingLanesWithoutTheWait, ForWhatWasSentToBeRead_AreWrong) {
  const Way way{.left_out = DeviceWait::kAnswer, .longest_us = 1'000};
  EXPECT_GT(wrong_seeds(kPassedOn, 200, way), 0);
}

TEST(WaitingLanes, WhatDevicesCannotRun_IsRefusedAlikeOnAllRanks) {
  const auto world_of = [](int lanes) {
    return schedule::fuse_folded([lanes](int rank) {
      Builder b({.world = 2, .rank = rank, .rows = 1});
      const Slice sent = b.scratch(0);
      if (rank == 0) b.copy(kInput, sent);
      if (rank == 0) b.send(1, sent);
      if (rank == 1) b.recv(0, sent);
      for (int lane = 1; lane < lanes; ++lane)
        b.wait(0, rank == 0 ? 1 : 0, static_cast<std::uint16_t>(lane));
      return std::move(b).finish();
    });
  };
  EXPECT_TRUE(check_waits(world_of(1), false).ok()) << "nobody waits";
  EXPECT_TRUE(check_waits(world_of(5), true).ok());
  EXPECT_THAT(check_waits(world_of(6), true).message(), testing::HasSubstr("at most 5 lanes"));
  const Status between_hosts = check_waits(world_of(2), false);
  EXPECT_EQ(between_hosts.code(), ErrorCode::kUnsupported);
  EXPECT_THAT(between_hosts.message(), testing::HasSubstr("RONDO_DEVICE_PATH=messages, host"));
}

}  // namespace
}  // namespace rondo::execute
