// What ranks have open of their peers' memory and events: what is gone isn't open any more.

#include "collectives/execute/device/closing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/device/emulated/emulated.h"
#include "core/device/missing.h"
#include "tests/collectives/execute/device/connected_ranks.h"
#include "tests/collectives/execute/device/device_rank.h"

namespace rondo::execute {
namespace {

constexpr std::size_t kCount = 1'003;
constexpr std::size_t kSegmentBytes = 512;
constexpr int kTurns = 40;

std::unique_ptr<device::DeviceDriver> few_delays() {
  return device::make_emulated_driver(
      {.memory_bytes = std::size_t{8} << 20, .lateness = {.longest_us = 10}});
}

/// Memory and events by handles, as between processes.
class Closed : public ::testing::Test {
 protected:
  void SetUp() override {
    for (DeviceRank& rank : ranks_) rank.use(*driver_);
  }
  void plan(const char* algorithm) {
    each<DeviceRank>(ranks_, [&](DeviceRank& rank, std::size_t) {
      const Status status = rank.plan(algorithm, kCount, kSegmentBytes);
      EXPECT_TRUE(status.ok()) << status.to_string();
    });
  }
  /// On memory that is given back when the call has ended.
  void call() {
    each<DeviceRank>(ranks_, [](DeviceRank& rank, std::size_t) {
      const auto memory = rank.allocate(kCount * sizeof(float)).value();
      const Status status = rank.run(memory.get(), memory.get());
      EXPECT_TRUE(status.ok()) << status.to_string();
    });
  }
  DevicePlace::Opened most_open() {
    DevicePlace::Opened most;
    for (DeviceRank& rank : ranks_) {
      most.memories = std::max(most.memories, rank.place().opened().memories);
      most.events = std::max(most.events, rank.place().opened().events);
    }
    return most;
  }

  std::unique_ptr<device::DeviceDriver> driver_ = few_delays();
  std::vector<DeviceRank> ranks_ = connected<DeviceRank>(transport::TransportKind::kShm, 3);
};

TEST_F(Closed, MemoryThatWasFreed_WithTheNextCall) {
  plan("direct");
  for (int turn = 0; turn < kTurns; ++turn) call();
  const DevicePlace::Opened open = most_open();
  EXPECT_GE(open.memories, 2U) << "of two peers";
  EXPECT_LE(open.memories, 4U) << "of each what the last call was on, and scratch";
}

TEST_F(Closed, EventsAndScratchOfPlansThatAreNoMore_WithTheNextCall) {
  plan("ring");
  call();
  const DevicePlace::Opened one = most_open();
  EXPECT_GT(one.events, 0U);
  for (int turn = 0; turn < kTurns; ++turn) {
    plan("ring");
    call();
  }
  EXPECT_EQ(most_open().events, one.events);
  EXPECT_EQ(most_open().memories, one.memories);
}

TEST_F(Closed, WhatIsStillThere_StaysOpen) {
  plan("ring");
  std::vector<std::shared_ptr<std::byte[]>> memory;
  for (DeviceRank& rank : ranks_) memory.push_back(rank.allocate(kCount * sizeof(float)).value());
  const auto call_on_it = [&] {
    each<DeviceRank>(ranks_, [&](DeviceRank& rank, std::size_t i) {
      EXPECT_TRUE(rank.run(memory[i].get(), memory[i].get()).ok());
    });
  };
  call_on_it();
  const DevicePlace::Opened one = most_open();
  for (int turn = 0; turn < 5; ++turn) {
    driver_->free(driver_->allocate(0, 64).value());  // something else
    call_on_it();
  }
  EXPECT_EQ(most_open().memories, one.memories);
  EXPECT_EQ(most_open().events, one.events);
}

TEST(GivenHandles, WhatIsFreed_IsToldEachPeerOnce_SoManyAtATime) {
  const auto driver = few_delays();
  constexpr std::size_t kFreed = GivenHandles::kMostAtOnce + 88;
  GivenHandles given(*driver);
  void* const kept = driver->allocate(0, 64).value();
  given.give(1, driver->export_memory(kept).value());
  std::vector<void*> freed;
  for (std::size_t i = 0; i < kFreed; ++i) {
    freed.push_back(driver->allocate(0, 64).value());
    given.give(1, driver->export_memory(freed.back()).value());
  }
  given.give(2, driver->export_memory(freed.back()).value());
  for (void* memory : freed) driver->free(memory);
  given.find_freed();
  std::vector<GoneHandle> gone;
  for (const std::size_t expected : {GivenHandles::kMostAtOnce, std::size_t{88}, std::size_t{0}}) {
    given.next_for(1, gone);
    EXPECT_EQ(gone.size(), expected);
  }
  given.next_for(2, gone);
  EXPECT_EQ(gone.size(), 1U);
  given.next_for(3, gone);
  EXPECT_TRUE(gone.empty());
}

/// Counts who keeps each allocation, and has freed all of them.
class CountingDriver final : public device::MissingDriver {
 public:
  CountingDriver() : MissingDriver(Status(ErrorCode::kInternal, "not asked for")) {}
  void keep(const device::SharedHandle& memory) override { ++kept[memory.allocation]; }
  void let_go(const device::SharedHandle& memory) override { --kept[memory.allocation]; }
  bool lives(const device::SharedHandle& /*memory*/) override { return false; }
  std::uint64_t frees() const override { return 1; }

  std::map<std::uint64_t, int> kept;
};

device::SharedHandle handle_of(std::uint64_t allocation, device::SharedKind what) {
  device::SharedHandle handle{};
  handle.allocation = allocation;
  handle.what = what;
  return handle;
}

TEST(GivenHandles, WhatIsFreed_IsLetGoWhenEachPeerHasConfirmed) {
  using device::SharedKind;
  CountingDriver driver;
  GivenHandles given(driver);
  for (const int peer : {1, 2}) {
    for (const std::uint64_t allocation : {7U, 7U, 8U})
      given.give(peer, handle_of(allocation, SharedKind::kMemory));
  }
  EXPECT_EQ(driver.kept, (std::map<std::uint64_t, int>{{7, 2}, {8, 2}})) << "once by each peer";
  given.find_freed();
  const std::vector events = {handle_of(9, SharedKind::kEvent)};
  given.take_back(std::vector{1}, events);
  std::vector<GoneHandle> gone;
  given.confirm(1, 3);
  EXPECT_EQ(driver.kept[7] + driver.kept[8], 4) << "it hasn't been told yet";
  given.next_for(1, gone);
  ASSERT_EQ(gone.size(), 3U);
  given.confirm(1, 0);
  EXPECT_EQ(driver.kept[7] + driver.kept[8], 4);
  given.confirm(1, 3);
  EXPECT_EQ(driver.kept, (std::map<std::uint64_t, int>{{7, 1}, {8, 1}})) << "events aren't kept";
  given.confirm(1, 3);
  given.let_all_go();
  EXPECT_EQ(driver.kept, (std::map<std::uint64_t, int>{{7, 0}, {8, 0}}));
}

}  // namespace
}  // namespace rondo::execute
