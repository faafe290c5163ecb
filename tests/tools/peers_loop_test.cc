// The loop that libraries are measured with, through one that notes what it is asked for: what is
// timed behind a barrier, and what in a row.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/peers/loop.h"

namespace bench {
namespace {

/// One rank: a sum is what it gives.
class NotedWorld : public World {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string library() const override { return said; }
  void barrier() override { events_ += 'b'; }
  void max(std::vector<double>& /*values*/) override { events_ += 'm'; }
  Call call(const std::string& name) override {
    if (name != "all_reduce") return nullptr;
    return [this](const Data& data) {
      events_ += 'c';
      counts_.push_back(data.total);
    };
  }
  float* allocate(std::size_t count) override {
    memory_.emplace_back(count);
    return memory_.back().data();
  }

  /// Barriers (b), calls (c) and where ranks' times or ends are compared (m), in their order.
  const std::string& events() const { return events_; }
  /// Of the calls.
  const std::vector<std::size_t>& counts() const { return counts_; }

  std::string said;

 private:
  std::string events_;
  std::vector<std::size_t> counts_;
  std::vector<std::vector<float>> memory_;
};

/// Behind the check and the warming up.
std::string events_of(const char* variable) {
  unsetenv("RONDO_PEERS_IN_A_ROW");
  unsetenv("RONDO_PEERS_LATE_MS");
  if (variable != nullptr) setenv(variable, "1", 1);
  NotedWorld world;
  testing::internal::CaptureStdout();
  EXPECT_EQ(run(world, {"all_reduce", "64", "64", "2", "0"}), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout().find("all_reduce,64,"), 0U);
  if (variable != nullptr) unsetenv(variable);
  constexpr std::size_t kCheckAndWarmUp = 6;  // a barrier and a call, four calls
  EXPECT_EQ(world.events().substr(0, kCheckAndWarmUp), "bccccc");
  return world.events().substr(kCheckAndWarmUp);
}

std::string times(int count, const std::string& text) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(PeersLoop, CallsApart_AreEachBehindABarrier) {
  EXPECT_EQ(events_of(nullptr), times(50, "bc") + "mm") << "whether it is over, and the times";
}

TEST(PeersLoop, CallsInARow_HaveNoneBetweenThem) {
  EXPECT_EQ(events_of("RONDO_PEERS_IN_A_ROW"), "b" + times(200, "c") + "mm");
}

TEST(PeersLoop, CallBehindALateOne_IsTimedByItself) {
  EXPECT_EQ(events_of("RONDO_PEERS_LATE_MS"), times(3, "cbc") + "mm");
}

TEST(PeersLoop, CallsOfNewCounts_HaveOthersEachTime) {
  setenv("RONDO_PEERS_NEW_COUNTS", "1", 1);
  NotedWorld world;
  testing::internal::CaptureStdout();
  EXPECT_EQ(run(world, {"all_reduce", "1024", "1024", "2", "0"}), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout().find("all_reduce,1024,"), 0U);
  unsetenv("RONDO_PEERS_NEW_COUNTS");
  const std::vector<std::size_t>& counts = world.counts();
  EXPECT_EQ(std::ranges::adjacent_find(counts), counts.end());
  // Checked and then timed in the same order.
  constexpr std::size_t kAll = 301;
  ASSERT_GT(counts.size(), kAll);
  EXPECT_EQ(counts.front(), 256U - 150);
  EXPECT_EQ(counts[kAll - 1], 256U + 150);
  EXPECT_EQ(counts[kAll], counts.front());
}

TEST(PeersLoop, PartsOfNewCounts_KeepTheirShares) {
  const std::vector<Data> all = data_of_new_counts("all_to_all_v", 120, 2, 1);
  ASSERT_EQ(all.size(), 19U) << "a unit of 10 elements, and from 1 to 19";
  for (std::size_t unit = 1; unit <= all.size(); ++unit)
    EXPECT_EQ(all[unit - 1].parts.counts, (std::vector{2 * unit, unit}));
}

TEST(PeersLoop, TooFewNewCounts_AreRefused) {
  EXPECT_NO_THROW(data_of_new_counts("all_reduce", 36, 2, 1));
  try {
    data_of_new_counts("all_reduce", 32, 2, 1);
    FAIL() << "8 elements have 7 others below them";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("expected at least 36 bytes"), std::string::npos);
  }
}

TEST(PeersLoop, WhatALibraryIs_StandsBeforeItsTimes) {
  NotedWorld world;
  world.said = "Noted 1.2";
  testing::internal::CaptureStdout();
  EXPECT_EQ(run(world, {"all_reduce", "64", "64", "2", "0"}), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout().find("library,Noted 1.2\nall_reduce,64,"), 0U);
}

TEST(PeersLoop, WhatALibraryDoesNotHave_IsLeftOut) {
  NotedWorld world;
  testing::internal::CaptureStdout();
  EXPECT_EQ(run(world, {"barrier", "64", "64", "2", "0"}), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(world.events(), "");
}

}  // namespace
}  // namespace bench
