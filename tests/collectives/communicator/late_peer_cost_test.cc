// What waiting for a peer that is late takes of a core: next to nothing, in whatever way a rank
// waits. Of the whole process, so that no other thread does it for the one that waits.

#include <gtest/gtest.h>
#include <time.h>

#include <chrono>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using std::chrono::milliseconds;

/// The first second may be spent in looking.
constexpr milliseconds kLooking{1000};
constexpr milliseconds kMeasured{600};
/// Of a core; 0.001 to 0.002 are usual.
constexpr double kMost = 0.01;

double cpu_seconds_of_all_threads() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Two communicators of the same two ranks, and what one rank does with them.
struct Both {
  Communicator& rank;
  Communicator& same;
  float value = 0;

  Call call() { return Call::all_reduce({&value, 1}); }
};

struct Way {
  std::string name;
  void (*wait)(Both&);
  void (*come)(Both&) = [](Both& both) { both.rank.run(both.call()); };
  std::string progress = "thread";
};

void wait_for_several(Both& both) {
  std::vector<Work> works;
  works.push_back(both.rank.start(both.call()));
  works.push_back(both.same.start(Call::barrier()));
  wait_all(works);
}

const Way kWays[] = {
    {"in_a_call", [](Both& both) { both.rank.run(both.call()); }},
    {"for_a_message",
     [](Both& both) {
       both.rank.receive({&both.value, 1}, 1);
     },
     [](Both& both) {
       both.rank.send({&both.value, 1}, 0);
     }},
    {"for_a_started_call", [](Both& both) { both.rank.start(both.call()).wait(); }},
    {"for_a_while_each_time",
     [](Both& both) {
       Work work = both.rank.start(both.call());
       while (!work.wait_for(milliseconds(300))) continue;
     }},
    {"not_at_all",
     [](Both& both) {
       Work work = both.rank.start(both.call());
       std::this_thread::sleep_for(kLooking + kMeasured);
       work.wait();
     }},
    {"for_several", &wait_for_several, &wait_for_several},
    {"for_several_that_no_thread_moves_on", &wait_for_several, &wait_for_several, "caller"}};

class LatePeer : public ::testing::TestWithParam<std::tuple<std::string, Way>> {};

/// Of the processor, by all threads while they wait: a part of the time.
double used_while_waiting(const std::string& transport, const Way& way) {
  double used = 0, seconds = 0;
  const World world{.size = 2, .transport = transport, .progress = way.progress};
  spawn(world, [&](Communicator& rank) {
    Communicator same = *rank.split(0);
    Both both{rank, same};
    rank.barrier();
    if (rank.rank() == 0) return way.wait(both);
    std::this_thread::sleep_for(kLooking);
    const double before = cpu_seconds_of_all_threads();
    const auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(kMeasured);
    used = cpu_seconds_of_all_threads() - before;
    seconds = seconds_since(start);
    way.come(both);
  });
  EXPECT_GT(seconds, 0);
  return used / seconds;
}

TEST_P(LatePeer, AWait_LeavesTheCoresToOthersAfterASecond) {
  const auto& [transport, way] = GetParam();
  double used = 1;
  // A wake may cost more now and then, where others have the core's caches. Who spins spins always.
  for (int again = 0; again < 3 && used >= kMost; ++again)
    used = used_while_waiting(transport, way);
  EXPECT_LT(used, kMost);
}

INSTANTIATE_TEST_SUITE_P(Ways, LatePeer,
                         ::testing::Combine(::testing::Values("inproc", "shm", "tcp"),
                                            ::testing::ValuesIn(kWays)),
                         [](const auto& parameters) {
                           return std::get<0>(parameters.param) + "_" +
                                  std::get<1>(parameters.param).name;
                         });

}  // namespace
}  // namespace rondo::testing
