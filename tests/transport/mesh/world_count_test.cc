#include "transport/mesh/world_count.h"

#include <gtest/gtest.h>

namespace rondo::transport {
namespace {

using rendezvous::Launch;
using rendezvous::Launcher;

Launch of_job(std::uint64_t job, Launcher launcher = Launcher::kRondoRun) {
  return {.launcher = launcher, .process_count = 2, .job = job};
}

const Status kTimedOut(ErrorCode::kTimeout, "nobody came");

TEST(WorldCount, WorldsOfAJob_areCountedFromOne) {
  WorldCount count;
  EXPECT_EQ(count.next(of_job(7)), 1U);
  count.add(of_job(7), {});
  EXPECT_EQ(count.next(of_job(7)), 2U);
  count.add(of_job(7), Status(ErrorCode::kMismatch, "options differ"));
  EXPECT_EQ(count.next(of_job(7)), 3U);
}

TEST(WorldCount, AnotherJob_beginsAtOne_andTheFirstGoesOn) {
  WorldCount count;
  count.add(of_job(7), {});
  EXPECT_EQ(count.next(of_job(8)), 1U);
  count.add(of_job(8), {});
  count.add(of_job(8), {});
  EXPECT_EQ(count.next(of_job(7)), 2U);
}

TEST(WorldCount, AWorldThatTimedOut_comesAgain_butNotUnderPmix) {
  WorldCount count;
  count.add(of_job(7), kTimedOut);
  EXPECT_EQ(count.next(of_job(7)), 1U);
  const Launch pmix = of_job(0, Launcher::kPmix);
  count.add(pmix, kTimedOut);
  EXPECT_EQ(count.next(pmix), 2U);
}

TEST(WorldCount, AUniqueId_standsForOneWorld) {
  WorldCount count;
  const Launch by_id = of_job(7, Launcher::kUniqueId);
  count.add(by_id, {});
  EXPECT_EQ(count.next(by_id), 1U);
}

// Their job is drawn anew for each.
TEST(WorldCount, WorldsOfAProcessAlone_areCountedTogether) {
  WorldCount count;
  count.add({.job = 7}, {});
  EXPECT_EQ(count.next({.job = 8}), 2U);
}

}  // namespace
}  // namespace rondo::transport
