#include "transport/rendezvous/membership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <thread>

#include "transport/rendezvous/memory_store.h"
#include "transport/rendezvous/open_store.h"
#include "transport/rendezvous/tcp_store_server.h"

namespace rondo::rendezvous {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

Deadline in(milliseconds time) { return std::chrono::steady_clock::now() + time; }

Launch process(int index, int count) {
  return {.launcher = Launcher::kRondoRun, .process_index = index, .process_count = count};
}

/// Processes with 1, 2, 3, ... places.
Joining joining_of(int index) {
  return {.world_name = "w",
          .places = index + 1,
          .host_identity = "host " + std::to_string(index % 2),
          .blob = std::string("\0blob ", 6) + std::to_string(index)};
}

void expect_members(const Membership& members, int own_index) {
  EXPECT_EQ(members.world, 6);
  EXPECT_EQ(members.first_rank, std::vector<int>({0, 1, 3})[static_cast<std::size_t>(own_index)]);
  EXPECT_THAT(members.process_of_rank, ElementsAre(0, 1, 1, 2, 2, 2));
  ASSERT_EQ(members.processes.size(), 3U);
  for (int index = 0; index < 3; ++index) {
    const Process& member = members.processes[static_cast<std::size_t>(index)];
    EXPECT_EQ(member.places, index + 1);
    EXPECT_EQ(member.host_identity, joining_of(index).host_identity);
    EXPECT_EQ(member.blob, joining_of(index).blob);
    EXPECT_EQ(member.pid, getpid());
    EXPECT_FALSE(member.hostname.empty());
  }
  EXPECT_EQ(members.process_of(2).first_rank, 1);
  EXPECT_EQ(members.process_of(5).first_rank, 3);
}

TEST(Membership, Processes_withDifferentPlaces_areNumberedInOrder) {
  const auto table = std::make_shared<MemoryTable>();
  std::vector<std::jthread> threads;
  for (int index : {2, 0, 1}) {
    threads.emplace_back([=] {
      MemoryStore store(table);
      const auto members = join(store, process(index, 3), joining_of(index), in(seconds(30)));
      ASSERT_TRUE(members.ok()) << members.status().message();
      expect_members(*members, index);
    });
  }
}

TEST(Membership, Processes_overTcp_joinTheSameWorldAndEndInAnyOrder) {
  // open_store keeps the server of process 0 until this program ends.
  const auto taken = value_or_throw(TcpStoreServer::listen("127.0.0.1", 0, 1))->address();
  std::vector<std::jthread> threads;
  for (int index : {2, 1, 0}) {
    threads.emplace_back([=] {
      Launch launch = process(index, 3);
      launch.job = 77;
      launch.store_address = to_string(taken);
      const auto store = open_store(launch, in(seconds(30)));
      ASSERT_TRUE(store.ok()) << store.status().message();
      const auto members = join(**store, launch, joining_of(index), in(seconds(30)));
      ASSERT_TRUE(members.ok()) << members.status().message();
      expect_members(*members, index);
    });
  }
}

TEST(Membership, World_incomplete_namesTheRanksThatHaveNotJoined) {
  const auto table = std::make_shared<MemoryTable>();
  MemoryStore other(table);
  ASSERT_TRUE(other.set("join/world/0", "here").ok());
  MemoryStore store(table);
  const auto members = join(store, process(1, 4), {}, in(milliseconds(1000)));
  EXPECT_EQ(members.status().code(), ErrorCode::kTimeout);
  EXPECT_EQ(members.status().culprit(), 2);
  EXPECT_THAT(members.status().message(), HasSubstr("the world of 4 is not complete after "));
  EXPECT_THAT(members.status().message(), HasSubstr("rank 2 and 3 have not joined"));
}

TEST(Membership, World_incomplete_saysWhetherAnotherTryIsOfUse) {
  MemoryStore store;
  Launch launch = process(0, 2);
  const auto again = join(store, launch, {.world_name = "1"}, in(milliseconds(1)));
  EXPECT_THAT(again.status().message(), HasSubstr("RONDO_JOIN_TIMEOUT_MS"));
  EXPECT_THAT(again.status().message(), HasSubstr("may be tried again"));
  launch.launcher = Launcher::kPmix;
  const auto never = join(store, launch, {.world_name = "2"}, in(milliseconds(1)));
  EXPECT_THAT(never.status().message(), HasSubstr("start the job again"));
}

TEST(Membership, Process_speakingAnotherVersion_isDataLossThatNamesIt) {
  const auto table = std::make_shared<MemoryTable>();
  MemoryStore other(table);
  ASSERT_TRUE(other.set("join/world/1", "something else").ok());
  MemoryStore store(table);
  const auto members = join(store, process(0, 2), {}, in(seconds(30)));
  EXPECT_EQ(members.status().code(), ErrorCode::kDataLoss);
  EXPECT_EQ(members.status().culprit(), 1);
}

TEST(Membership, Places_outOfRange_isInvalidArgument) {
  MemoryStore store;
  for (const int places : {0, -1, kMaxPlaces + 1}) {
    const auto members = join(store, process(0, 1), {.places = places}, in(seconds(1)));
    EXPECT_EQ(members.status().code(), ErrorCode::kInvalidArgument) << places;
  }
}

TEST(Membership, World_ofOneProcess_needsNobody) {
  const Launch launch;
  const auto store = open_store(launch, in(seconds(1)));
  ASSERT_TRUE(store.ok());
  const auto members = join(**store, launch, {.places = 2}, in(seconds(1)));
  ASSERT_TRUE(members.ok());
  EXPECT_EQ(members->world, 2);
  EXPECT_THAT(members->describe(1), HasSubstr("rank 1 ("));
}

}  // namespace
}  // namespace rondo::rendezvous
