// A rank that gives up while its peer, another process, computes what it stores into this rank's
// registered memory: once the call has failed the memory is the program's own, and nothing is
// written to it any more. On one rank of a world of two processes, to be started by a launcher.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>

#include "rondo/communicator.h"

namespace rondo::testing {
namespace {

constexpr std::size_t kCount = std::size_t{1} << 20;
constexpr int kDeadlineMs = 30;
constexpr int kPauseUs = 100'000;
/// Whoever gives up waits so long for a store, and is told of one that takes longer.
constexpr std::chrono::seconds kStoreTakes{1};
constexpr std::uint32_t kOwn = 0x5eed;

/// So many of the function's next calls take long.
struct Pauses {
  int left = 0;
};

void add(void* sum, const void* value, std::size_t count, DataType, void* context) {
  auto& pauses = *static_cast<Pauses*>(context);
  if (pauses.left > 0) {
    --pauses.left;
    ::usleep(kPauseUs);
  }
  const std::span to(static_cast<std::uint32_t*>(sum), count);
  const std::span from(static_cast<const std::uint32_t*>(value), count);
  std::ranges::transform(to, from, to.begin(), std::plus());
}

CommunicatorOptions by(const char* algorithm) {
  CommunicatorOptions options;
  options.transport = "shm";
  options.algorithm = algorithm;
  return options;
}

bool fails(Communicator& world, const Call& call) {
  try {
    world.run(call);
    return false;
  } catch (const Error&) {
    return true;
  }
}

/// The deadline of rank 0 passes while rank 1 is at its part of the sum. False where it wasn't so,
/// as a process stood still: the call was over before rank 0 looked, or rank 1 came to it too late.
bool gives_up_during_store(const char* algorithm, std::size_t count) {
  Communicator world = Communicator::create(by(algorithm));
  RegisteredMemory memory(count * sizeof(std::uint32_t));
  const std::span data(static_cast<std::uint32_t*>(memory.data()), count);
  std::ranges::fill(data, 1U + static_cast<std::uint32_t>(world.rank()));
  Pauses pauses;
  const CustomReduce sum{.function = add, .context = &pauses, .commutative = true};
  Call call = Call::all_reduce({data.data(), count, DataType::kU32}, Reduction::custom(sum));
  world.run(call);  // what the first call takes besides is no part of the deadline
  if (world.rank() == 0) call = call.within(kDeadlineMs);
  if (world.rank() == 1) pauses.left = 1;
  world.barrier();
  const auto begun = std::chrono::steady_clock::now();
  const bool has_failed = fails(world, call);
  if (!has_failed || std::chrono::steady_clock::now() - begun >= kStoreTakes) return false;
  std::ranges::fill(data, kOwn);
  ::usleep(4 * kPauseUs);
  EXPECT_EQ(std::ranges::count(data, kOwn), static_cast<std::ptrdiff_t>(count));
  return pauses.left == 0;
}

bool is_so_for_all(Communicator& ranks, bool own) {
  float others = own ? 0 : 1;
  ranks.all_reduce({&others, 1, DataType::kF32});
  return others == 0;
}

void give_up_during_stores(Communicator& ranks, const char* algorithm, std::size_t count) {
  SCOPED_TRACE(algorithm);
  bool is_seen = false;
  for (int tries = 0; tries < 5 && !is_seen; ++tries)
    is_seen = is_so_for_all(ranks, gives_up_during_store(algorithm, count));
  EXPECT_TRUE(is_seen) << "no call has failed on both ranks, soon, and with a store under way";
}

TEST(LateStore, BehindTheDeadlineOfTheMemorysOwner_IsNotMade) {
  Communicator ranks = Communicator::create();  // for what they tell each other
  give_up_during_stores(ranks, "direct", kCount);
  give_up_during_stores(ranks, "direct", kCount / 32);  // by the runner of single segments
  give_up_during_stores(ranks, "halving_doubling", kCount);
  if (!HasFailure()) std::printf("late store done: rank %d\n", ranks.rank());
}

}  // namespace
}  // namespace rondo::testing
