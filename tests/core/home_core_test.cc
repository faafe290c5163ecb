#include "core/home_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "core/topology.h"

namespace rondo {
namespace {

using std::chrono::milliseconds;

std::vector<int> cores() { return cores_of_this_thread().value(); }

void bind_to(int core) {
  cpu_set_t alone;
  CPU_ZERO(&alone);
  CPU_SET(static_cast<std::size_t>(core), &alone);
  ASSERT_EQ(::sched_setaffinity(0, sizeof alone, &alone), 0);
}

/// Wants a core all the time, as a rank does that waits for this one.
class Neighbour {
 public:
  explicit Neighbour(int core)
      : thread_([this, core] {
          bind_to(core);
          is_there_ = true;
          while (!is_over_) ::sched_yield();
        }) {
    while (!is_there_) std::this_thread::yield();
  }
  ~Neighbour() {
    is_over_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> is_there_ = false;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

/// A wait of so many yields, unless it goes home.
bool meets(HomeCore& home, int yields = 1) {
  home.begin();
  const auto now = HomeCore::Clock::now();
  for (int i = 0; i < yields; ++i) {
    ::sched_yield();
    if (home.is_shared(now)) return true;
  }
  return false;
}

/// That this thread has been put off for.
long turns_of_others() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

/// Free to run on all cores, on the first of which it is when a test begins.
class Home : public ::testing::Test {
 protected:
  void SetUp() override {
    mask_ = cores();
    if (mask_.size() < 2) GTEST_SKIP() << "a thread of one core stays there";
    ::sched_getaffinity(0, sizeof free_, &free_);
    go_to(mask_[0]);
  }
  void go_to(int core) const {
    bind_to(core);
    ::sched_setaffinity(0, sizeof free_, &free_);
  }
  /// Waits on the first core until somebody is met there; where it is then.
  int meet(HomeCore& home) const {
    const Neighbour neighbour(mask_[0]);
    const auto start = HomeCore::Clock::now();
    while (HomeCore::Clock::now() - start < milliseconds(2'000)) {
      go_to(mask_[0]);  // the kernel may have parted the two
      if (meets(home)) return ::sched_getcpu();
    }
    return -1;
  }

  std::vector<int> mask_;
  cpu_set_t free_{};
};

TEST_F(Home, WhoSharesACore_GoesHome_FreeToLeave) {
  HomeCore home(mask_[1]);
  EXPECT_EQ(meet(home), mask_[1]);
  EXPECT_TRUE(home.stays());
  EXPECT_EQ(cores(), mask_);
}

TEST_F(Home, WhoIsAlone_OrHasNoHome_StaysWhereItIs) {
  // Other programs want this core, too, at times.
  bool others_ran = true;
  for (int attempt = 0; attempt < 20 && others_ran; ++attempt) {
    HomeCore home(mask_[1]);
    go_to(mask_[0]);
    const long before = turns_of_others();
    for (int i = 0; i < 100; ++i) meets(home);
    others_ran = turns_of_others() != before;
    EXPECT_TRUE(others_ran || !home.stays());
  }
  if (others_ran) GTEST_SKIP() << "this core is never left alone";
  HomeCore none(-1);
  const Neighbour neighbour(mask_[0]);
  for (int i = 0; i < 100; ++i) meets(none);
  EXPECT_FALSE(none.stays());
}

TEST_F(Home, SleepsThere_OnlyOnceItHasMetSomebodyElsewhere) {
  HomeCore home(mask_[1]);
  {
    const HomeCore::Sleep sleep(home);
    EXPECT_EQ(cores(), mask_);
  }
  meet(home);
  go_to(mask_[0]);
  {
    const HomeCore::Sleep sleep(home);
    EXPECT_EQ(cores(), std::vector{mask_[1]});
    EXPECT_EQ(::sched_getcpu(), mask_[1]);
  }
  EXPECT_EQ(cores(), mask_);
}

TEST_F(Home, MaskGivenByOthersMeanwhile_IsKept) {
  HomeCore home(mask_[1]);
  meet(home);
  {
    const HomeCore::Sleep sleep(home);
    bind_to(mask_[0]);
  }
  EXPECT_EQ(cores(), std::vector{mask_[0]});
  ::sched_setaffinity(0, sizeof free_, &free_);
}

TEST_F(Home, TakenByOthers_IsLeftForAWhile) {
  HomeCore home(mask_[1]);
  meet(home);
  const Neighbour there(mask_[1]);
  const auto start = HomeCore::Clock::now();
  int sleeps = 0;
  while (home.stays() && HomeCore::Clock::now() - start < milliseconds(5'000)) {
    ++sleeps;
    { const HomeCore::Sleep sleep(home); }
    go_to(mask_[1]);  // the kernel may have parted the two
    meets(home, 20);
  }
  EXPECT_FALSE(home.stays());
  EXPECT_GE(sleeps, 4) << "whoever is there may be about to leave";
  go_to(mask_[0]);
  const Neighbour here(mask_[0]);
  for (int i = 0; i < 10; ++i) meets(home);
  EXPECT_FALSE(home.stays());
}

// The system's threads run everywhere, for a turn.
TEST_F(Home, CrossedByOthersForATurn_IsKept) {
  HomeCore home(mask_[1]);
  meet(home);
  const Neighbour there(mask_[1]);
  for (int i = 0; i < 40; ++i) {
    { const HomeCore::Sleep sleep(home); }
    go_to(mask_[1]);
    meets(home);
  }
  EXPECT_TRUE(home.stays());
}

TEST_F(Home, ThreadThatIsBound_StaysWhereItIs) {
  HomeCore home(mask_[1]);
  bind_to(mask_[0]);
  const Neighbour neighbour(mask_[0]);
  for (int i = 0; i < 100; ++i) meets(home);
  EXPECT_EQ(cores(), std::vector{mask_[0]});
  EXPECT_FALSE(home.stays());
  ::sched_setaffinity(0, sizeof free_, &free_);
}

/// Processor cores of two threads each, `apart` apart by number.
class Siblings {
 public:
  Siblings(int threads, int apart) : root_(::testing::TempDir() + "siblings_of_home_core_test") {
    std::filesystem::remove_all(root_);
    for (int i = 0; i < threads; ++i) {
      const int first = apart == 1 ? i / 2 * 2 : i % apart;
      const auto folder = root_ / ("cpu" + std::to_string(i)) / "topology";
      std::filesystem::create_directories(folder);
      std::ofstream(folder / "thread_siblings_list")
          << first << (apart == 1 ? '-' : ',') << first + apart << '\n';
    }
  }
  ~Siblings() { std::filesystem::remove_all(root_); }
  std::vector<int> homes(std::size_t ranks, std::uint64_t shift = 0) const {
    std::vector<int> cores(8);
    std::iota(cores.begin(), cores.end(), 0);
    std::vector<int> homes;
    for (std::size_t i = 0; i < ranks; ++i)
      homes.push_back(home_core(cores, {.index = i, .of = ranks, .shift = shift}, root_.c_str()));
    return homes;
  }

 private:
  std::filesystem::path root_;
};

using ::testing::ElementsAre;

TEST(HomeCores, AreNotTheThreadsOfOneProcessorCore) {
  const Siblings far(8, 4);
  EXPECT_THAT(far.homes(2), ElementsAre(0, 2));
  EXPECT_THAT(far.homes(4), ElementsAre(0, 1, 2, 3));
  const Siblings near(8, 1);
  EXPECT_THAT(near.homes(2), ElementsAre(0, 4));
  EXPECT_THAT(near.homes(4), ElementsAre(0, 2, 4, 6));
}

TEST(HomeCores, OfJobsThatDiffer_BeginElsewhere) {
  EXPECT_THAT(Siblings(8, 1).homes(2, 1), ElementsAre(2, 6));
}

TEST(HomeCores, OfMoreRanksThanProcessorCores_AreAllThreads) {
  EXPECT_THAT(Siblings(8, 4).homes(8), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(HomeCores, AreNobodys_WhereCoresAreTooFew_OrARankIsAlone) {
  EXPECT_THAT(Siblings(8, 4).homes(9), ::testing::Each(-1));
  EXPECT_THAT(Siblings(8, 4).homes(1), ElementsAre(-1));
}

}  // namespace
}  // namespace rondo
