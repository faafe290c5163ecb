// Whose calls are made first where algorithms are timed beside each other: in each turn, and in
// each pass of a tuning, another one's (`timed_turns_test` has whose).

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

constexpr bool kSlow = RONDO_SLOW_BUILD;  // CMake: sanitizers, where to measure takes minutes

/// The calls of an algorithm that follow each other, as one.
struct Series {
  std::string algorithm;
  std::uint64_t bytes = 0;
};

/// What rank 0 of a world makes of all_reduces in `measure`.
template <class Measure>
std::vector<Series> all_reduces_of(const World& world, const Measure& measure) {
  std::vector<Series> runs;
  spawn(world, [&](Communicator& rank) {
    if (rank.rank() == 0) {
      rank.set_trace([&runs](const TracedCall& call) {
        if (call.collective != "all_reduce") return;
        const bool goes_on = !runs.empty() && runs.back().bytes == call.bytes &&
                             runs.back().algorithm == call.algorithm;
        if (!goes_on) runs.push_back({std::string(call.algorithm), call.bytes});
      });
    }
    measure(rank);
    rank.set_trace({});
  });
  return runs;
}

TEST(TuningTurns, OfAChoice_BeginWithAnotherAlgorithmEach) {
  constexpr std::size_t kBytes = 4096;
  constexpr std::size_t kTurns = 3;
  std::vector<std::string> algorithms;
  const auto runs = all_reduces_of({.size = 2, .transport = "shm"}, [&](Communicator& rank) {
    // Of 18 rounds, six in a turn.
    const auto choices = rank.measure_choices(Collective::kAllReduce, {kBytes}, 9);
    if (rank.rank() != 0) return;
    for (const MeasuredAlgorithm& one : choices.front().algorithms) algorithms.push_back(one.name);
  });
  std::vector<std::string> made;
  for (const Series& run : runs)
    if (run.bytes == kBytes) made.push_back(run.algorithm);
  const std::size_t each = algorithms.size();
  ASSERT_GE(each, 3U);
  ASSERT_EQ(made.size(), kTurns * each);
  std::set<std::string> firsts;
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    const auto of_turn = std::span(made).subspan(turn * each, each);
    const std::vector<std::string> one(of_turn.begin(), of_turn.end());
    firsts.insert(one.front());
    std::vector<std::string> expected = algorithms;
    std::ranges::rotate(expected, std::ranges::find(expected, one.front()));
    EXPECT_EQ(one, expected);
  }
  EXPECT_EQ(firsts.size(), kTurns);
}

TEST(TuningTurns, OfATuning_BeginWithAnotherAlgorithmInEachPass) {
  if (kSlow) GTEST_SKIP() << "measured once, elsewhere";
  const auto runs = all_reduces_of({.size = 2, .transport = "shm"},
                                   [](Communicator& rank) { rank.measure_tuning(); });
  std::map<std::uint64_t, std::set<std::string>> firsts;
  std::uint64_t last = 0;
  for (const Series& run : runs) {
    if (run.bytes != last) firsts[run.bytes].insert(run.algorithm);
    last = run.bytes;
  }
  for (const std::uint64_t bytes : {std::uint64_t{8} << 10, std::uint64_t{32} << 10})
    EXPECT_GE(firsts[bytes].size(), 2U) << bytes << " bytes";
}

}  // namespace
}  // namespace rondo::testing
