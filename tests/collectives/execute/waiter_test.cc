// In which order a rank that waits looks at its connections and lets others run, and who goes to a
// core of its own. This file replaces sched_yield and sched_setaffinity for its whole program, to
// see them.

#include "collectives/execute/host/waiter.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/topology.h"

namespace rondo::execute {
namespace {

thread_local std::string* steps = nullptr;
thread_local bool others_run = false;
thread_local int times_bound = 0;

}  // namespace
}  // namespace rondo::execute

extern "C" int sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t* cores) noexcept {
  ++rondo::execute::times_bound;
  return static_cast<int>(::syscall(SYS_sched_setaffinity, thread, bytes, cores));
}

extern "C" int sched_yield() noexcept {
  if (rondo::execute::others_run) ::usleep(100);
  if (rondo::execute::steps == nullptr) return static_cast<int>(::syscall(SYS_sched_yield));
  *rondo::execute::steps += 'y';
  return 0;
}

namespace rondo::execute {
namespace {

class RecordedTransport final : public transport::Transport {
 public:
  enum class Kind : std::uint8_t {
    kAsked,   ///< a look is a system call, as over tcp
    kPolled,  ///< and here of no use to messages, as in shared memory
    kRead,    ///< and here memory alone, as inside a process
  };
  explicit RecordedTransport(Kind kind) : kind_(kind) {}
  std::string address() const override { return ""; }
  Status connect(std::span<const transport::PeerAddress>, transport::Deadline) override {
    return {};
  }
  transport::Endpoint* endpoint(int) override { return nullptr; }
  Status progress() override {
    if (steps != nullptr) *steps += 'L';
    return {};
  }
  bool is_polled() const override { return kind_ == Kind::kPolled; }
  bool asks_system() const override { return kind_ == Kind::kAsked; }
  int wake_fd() const override { return -1; }
  bool arm() override {
    if (steps != nullptr) *steps += 'S';
    return true;
  }
  void disarm() override {}

 private:
  Kind kind_;
};
using Kind = RecordedTransport::Kind;

/// What so many waits without anything having moved do: L for each look, y for each yield, S for
/// each sleep.
std::string steps_of(int waits, Kind kind, const WaitPolicy& policy, const WaitLimit& limit = {},
                     std::uint32_t looks = 1) {
  RecordedTransport transport(kind);
  std::array<transport::Transport*, 1> transports{&transport};
  const auto waiter = Waiter::make(transports, policy).value();
  std::string text;
  steps = &text;
  for (int i = 0; i < waits; ++i) EXPECT_TRUE(waiter->wait(limit, looks).ok());
  text += ' ';
  waiter->restart();
  EXPECT_TRUE(waiter->wait(limit).ok());
  steps = nullptr;
  return text;
}

constexpr WaitPolicy kSharesACore{.spare_core = false, .yield_us = 1'000'000};
constexpr WaitPolicy kHasACore{.spare_core = true, .spin_us = 1'000'000, .alone_us = 1'000'000};

TEST(Waiter, WhoSharesHisCore_LetsOthersRunOnlyAfterALookInVain) {
  EXPECT_EQ(steps_of(4, Kind::kAsked, kSharesACore), "LyLyLyL L");
}

TEST(Waiter, WhoSharesHisCoreAndSeesMessagesByThemselves_SeldomLooks) {
  EXPECT_EQ(steps_of(8, Kind::kPolled, kSharesACore), "yyyLyyyyL y");
}

TEST(Waiter, WhoHasACore_KeepsIt) {
  std::string looks(40, 'L');
  looks.append(" L");
  EXPECT_EQ(steps_of(40, Kind::kAsked, kHasACore), looks);
}

// Two ranks may have been put on one core: each turn that isn't given away costs the other a
// millisecond. Where looks are system calls the clock is read at each.
TEST(Waiter, WhoHasLookedForLongerThanAnAnswerTakes_LetsOthersRun) {
  constexpr WaitPolicy kYieldsSoon{.spin_us = 1'000'000, .alone_us = 0, .yield_us = 1'000'000};
  EXPECT_EQ(steps_of(3, Kind::kPolled, kYieldsSoon, {}, 200), "LyLyL L");
  EXPECT_EQ(steps_of(3, Kind::kAsked, kYieldsSoon), "LyLyL L");
  std::string looks(32, 'L');
  looks.append("yL L");
  EXPECT_EQ(steps_of(33, Kind::kPolled, kYieldsSoon), looks);
  EXPECT_EQ(steps_of(33, Kind::kRead, kYieldsSoon), looks);
}

/// Others have wanted its core; `others_run` tells whether they still do.
class CrowdedWaiter : public testing::Test {
 protected:
  void SetUp() override {
    steps = &text_;
    others_run = true;
    while (text_.find('y') == std::string::npos) wait();
  }
  void TearDown() override {
    steps = nullptr;
    others_run = false;
  }
  void wait() { ASSERT_TRUE(waiter_->wait().ok()); }
  /// What so many waits do, the first of which begins anew.
  std::string steps_of_next(int waits) {
    waiter_->restart();
    text_.clear();
    for (int i = 0; i < waits; ++i) wait();
    return text_;
  }

  RecordedTransport transport_{Kind::kAsked};
  std::array<transport::Transport*, 1> transports_{&transport_};
  std::unique_ptr<Waiter> waiter_ =
      Waiter::make(transports_, {.spin_us = 1'000'000, .alone_us = 2'000, .yield_us = 1'000'000})
          .value();
  std::string text_;
};

TEST_F(CrowdedWaiter, OthersThatRanOfLate_AreLetRunAfterEachLookInVain) {
  EXPECT_EQ(steps_of_next(3), "LyLyL");
}

TEST_F(CrowdedWaiter, OthersThatAreGone_AreForgotten) {
  others_run = false;
  // Now and then somebody does run.
  int tries = 0;
  while (tries < 10'000 && steps_of_next(3) != "LLL") ++tries;
  EXPECT_LT(tries, 10'000);
  EXPECT_GT(tries, 1) << "one yield without them says little";
}

// Who spins on would keep the core from the peer that it waits for.
TEST_F(CrowdedWaiter, SleepsAsSoonAsWhoSharesItsCore) {
  waiter_ = Waiter::make(transports_, {.spin_us = 1'000'000, .alone_us = 0, .yield_us = 0}).value();
  EXPECT_EQ(steps_of_next(3), "LyLS");
}

// Once a late peer has come nothing is left of having waited for it.
TEST(Waiter, WhoHasSlept_BeginsTheNextWaitWithALook) {
  constexpr WaitPolicy kSleepsSoon{.spare_core = false, .yield_us = 0};
  EXPECT_EQ(steps_of(3, Kind::kAsked, kSleepsSoon), "LSL L");
}

TEST(Waiter, WhoHasWaited_CountsTheNextWaitFromItsOwnBeginning) {
  RecordedTransport transport(Kind::kAsked);
  std::array<transport::Transport*, 1> transports{&transport};
  for (const WaitPolicy& policy : {kSharesACore, kHasACore}) {
    const auto waiter = Waiter::make(transports, policy).value();
    while (waiter->waited_us() == 0) ASSERT_TRUE(waiter->wait().ok());
    waiter->restart();
    EXPECT_EQ(waiter->waited_us(), 0);
  }
}

/// Nothing ever comes over it.
class QuietTransport final : public transport::Transport {
 public:
  std::string address() const override { return ""; }
  Status connect(std::span<const transport::PeerAddress>, transport::Deadline) override {
    return {};
  }
  transport::Endpoint* endpoint(int) override { return nullptr; }
  Status progress() override { return {}; }
  int wake_fd() const override { return never_->descriptor(); }
  bool arm() override { return false; }
  void disarm() override {}

 private:
  std::shared_ptr<Bell> never_ = Bell::make().value();
};

class RungSleeper final : public Sleeper {
 public:
  void arm(const std::shared_ptr<Bell>& bell) override {
    ++times;
    bell->ring();
  }
  int times = 0;
};

TEST(Waiter, WhoSleeps_IsWokenByTheBellThatWasArmedBefore) {
  using namespace std::chrono_literals;
  QuietTransport transport;
  std::array<transport::Transport*, 1> transports{&transport};
  constexpr WaitPolicy kSleepsLong{.spare_core = false, .yield_us = 0, .sleep_ms = 10'000};
  const auto waiter = Waiter::make(transports, kSleepsLong).value();
  RungSleeper sleeper;
  ASSERT_TRUE(waiter->wait({.sleeper = &sleeper}).ok());
  EXPECT_EQ(sleeper.times, 0) << "a look costs no more than before";
  while (waiter->waited_us() == 0) ASSERT_TRUE(waiter->wait().ok());
  std::this_thread::sleep_for(1500ms);  // for so long it would sleep, too
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(waiter->wait({.sleeper = &sleeper}).ok());
  EXPECT_LT(std::chrono::steady_clock::now() - start, 1000ms);
  EXPECT_EQ(sleeper.times, 1);
}

class TimedSleeper final : public Sleeper {
 public:
  std::chrono::steady_clock::time_point until() const override { return time; }
  std::chrono::steady_clock::time_point time;
};

TEST(Waiter, WhoSleeps_LooksAgainWhenItsSleeperHasTo) {
  using namespace std::chrono_literals;
  using std::chrono::steady_clock;
  QuietTransport transport;
  std::array<transport::Transport*, 1> transports{&transport};
  constexpr WaitPolicy kSleepsLong{.spare_core = false, .yield_us = 0, .sleep_ms = 10'000};
  const auto waiter = Waiter::make(transports, kSleepsLong).value();
  TimedSleeper sleeper;
  while (waiter->waited_us() == 0) ASSERT_TRUE(waiter->wait().ok());
  std::this_thread::sleep_for(1500ms);  // for so long it would sleep, too
  const auto start = steady_clock::now();
  sleeper.time = start + 50ms;
  ASSERT_TRUE(waiter->wait({.sleeper = &sleeper}).ok());
  EXPECT_GE(steady_clock::now() - start, 50ms);
  EXPECT_LT(steady_clock::now() - start, 1000ms);
  // Where others sleep for it, no time at all would mean for ever.
  sleeper.time = start;
  waiter->arm(&sleeper);
  EXPECT_EQ(waiter->longest_sleep_ms(), 1);
  waiter->arm(nullptr);
  EXPECT_GT(waiter->longest_sleep_ms(), 1000) << "that was the other's";
  waiter->disarm();
}

TEST(Waiter, WhoNeverWaits_OnlyLooks) {
  EXPECT_EQ(steps_of(3, Kind::kAsked, kSharesACore, {.never_waits = true}), "LLL L");
}

void go_to(int core, const cpu_set_t& mask) {
  cpu_set_t alone;
  CPU_ZERO(&alone);
  CPU_SET(static_cast<std::size_t>(core), &alone);
  ::syscall(SYS_sched_setaffinity, 0, sizeof alone, &alone);
  ::syscall(SYS_sched_setaffinity, 0, sizeof mask, &mask);
}

/// How often a rank binds itself that waits on its machine's first core, which somebody else wants,
/// and has its home on the second: until it does, or for so long.
int bindings_beside_another(const WaitLimit& limit, std::chrono::milliseconds most) {
  const std::vector<int> cores = cores_of_this_thread().value();
  if (cores.size() < 2) return -1;
  cpu_set_t mask;
  ::sched_getaffinity(0, sizeof mask, &mask);
  std::atomic<bool> is_over = false;
  std::thread other([&] {
    EXPECT_TRUE(bind_current_thread(cores[0]).ok());
    while (!is_over) ::sched_yield();
  });
  RecordedTransport transport(Kind::kRead);
  std::array<transport::Transport*, 1> transports{&transport};
  const WaitPolicy policy{.alone_us = 0, .background_us = 1'000'000, .home_core = cores[1]};
  const auto waiter = Waiter::make(transports, policy).value();
  times_bound = 0;
  const auto start = std::chrono::steady_clock::now();
  while (times_bound == 0 && std::chrono::steady_clock::now() - start < most) {
    go_to(cores[0], mask);
    waiter->restart();
    for (int i = 0; i < 200; ++i) EXPECT_TRUE(waiter->wait(limit).ok());
  }
  is_over = true;
  other.join();
  return times_bound;
}

TEST(WaiterHome, WhoWaitsBesideOthers_GoesThere) {
  EXPECT_NE(bindings_beside_another({}, std::chrono::seconds(5)), 0);
}

TEST(WaiterHome, WhoWaitsInTheBackground_DoesNot) {
  const int bindings =
      bindings_beside_another({.in_background = true}, std::chrono::milliseconds(200));
  EXPECT_LE(bindings, 0);
}

}  // namespace
}  // namespace rondo::execute
