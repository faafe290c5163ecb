// One rank has no memory to measure with: the others, which wait for it, are told.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/collectives/communicator/spawn.h"

namespace {

/// This thread gets no more in one piece.
thread_local std::size_t most_bytes = static_cast<std::size_t>(-1);

}  // namespace

/// In place of libc's, for the library too (which is why it is visible).
extern "C" __attribute__((visibility("default"))) void* aligned_alloc(std::size_t alignment,
                                                                      std::size_t bytes) {
  void* memory = nullptr;
  if (bytes > most_bytes || ::posix_memalign(&memory, alignment, bytes) != 0) return nullptr;
  return memory;
}

namespace rondo::testing {
namespace {

constexpr int kPoor = 1;
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

/// What every rank says of `measure`, where the poor one can't take part.
void expect_told(const RankFunction& measure) {
  std::vector<Communicator> world = make_world({.size = 3, .transport = "shm"});
  run_ranks(world, [&](Communicator& rank) {
    if (rank.rank() == kPoor) most_bytes = kMostBytes;
    try {
      measure(rank);
      ADD_FAILURE() << "rank " << rank.rank() << " has measured";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kSystem) << rank.rank() << ": " << error.what();
      EXPECT_NE(error.message().find("to be timed with"), std::string::npos) << error.what();
      EXPECT_TRUE(rank.rank() == kPoor || error.culprit() == kPoor) << error.what();
    }
  });
}

TEST(FailingTuning, ARankThatCantMeasureChoices_TellsTheOthers) {
  expect_told(
      [](Communicator& rank) { rank.measure_choices(Collective::kAllReduce, {4 << 20}, 1); });
}

TEST(FailingTuning, ARankThatCantMeasureTheWorld_TellsTheOthers) {
  expect_told([](Communicator& rank) { rank.measure_tuning(); });
}

}  // namespace
}  // namespace rondo::testing
