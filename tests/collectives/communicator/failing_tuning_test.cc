// One rank has no memory to measure with: the others, which wait for it, are told.

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/collectives/communicator/spawn.h"

namespace {

/// This thread gets no more in one piece.
thread_local std::size_t most_bytes = static_cast<std::size_t>(-1);

/// So many times whoever asks for this much or more gets none.
constexpr std::size_t kMuch = std::size_t{500} << 10;
std::atomic<int> refusals = 0;

bool is_refused(std::size_t bytes) {
  return bytes > most_bytes || (bytes >= kMuch && refusals > 0 && refusals.fetch_sub(1) > 0);
}

}  // namespace

/// In place of libc's, for the library too (which is why it is visible).
extern "C" __attribute__((visibility("default"))) void* aligned_alloc(std::size_t alignment,
                                                                      std::size_t bytes) {
  void* memory = nullptr;
  if (is_refused(bytes) || ::posix_memalign(&memory, alignment, bytes) != 0) return nullptr;
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

/// Whose memory is short is to train all the same: its predictions are the file's.
TEST(FailingTuning, ARankThatCantMeasureThePace_IsJoinedWithoutOne) {
  const std::string path = ::testing::TempDir() + "rondo_pace_" + std::to_string(::getpid());
  std::ofstream(path) << R"({"rondo_tuning": 1, "network": {"hosts": [{"ranks": 2}]}, "measured":
      [{"collective": "all_reduce", "algorithm": "ring",
        "times": [{"bytes": 524288, "us": 12000, "simulated_us": 100}]}]})";
  const auto predicted_us = [&path] {
    std::vector<double> us(2);
    spawn({.size = 2, .transport = "shm", .algorithm = "ring", .tuning = path},
          [&us](Communicator& rank) {
            std::vector<float> data(kMuch / sizeof(float), 0.25F);
            rank.all_reduce({data.data(), data.size()});
            us[static_cast<std::size_t>(rank.rank())] = rank.last_call().predicted_us;
          });
    EXPECT_EQ(us.front(), us.back());
    return us.front();
  };
  ::testing::internal::CaptureStderr();
  refusals = 1;
  const double without_pace = predicted_us();
  EXPECT_LE(refusals, 0) << "one rank was refused";
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("ordinary memory isn't measured: no "
                                                          "memory for"),
            std::string::npos);
  double with_pace = without_pace;
  for (int attempt = 0; attempt < 5 && with_pace > 0.5 * without_pace; ++attempt)
    with_pace = predicted_us();
  EXPECT_LE(with_pace, 0.5 * without_pace) << "no call of 512 KiB takes 6 ms";
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace rondo::testing
