// A rank that gives up while its peer, another process, computes what it stores into this rank's
// registered memory: once the call has failed the memory is the program's own, and nothing is
// written to it any more. On one rank of a world of two processes, to be started by a launcher.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
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

/// The deadline of rank 0 passes while rank 1 is at its part of the sum. This process's rank.
int give_up_during_stores(const char* algorithm, std::size_t count) {
  SCOPED_TRACE(algorithm);
  Communicator world = Communicator::create(by(algorithm));
  RegisteredMemory memory(count * sizeof(std::uint32_t));
  const std::span data(static_cast<std::uint32_t*>(memory.data()), count);
  std::ranges::fill(data, 1U + static_cast<std::uint32_t>(world.rank()));
  Pauses pauses{.left = world.rank() == 1 ? 1 : 0};
  const CustomReduce sum{.function = add, .context = &pauses, .commutative = true};
  Call call = Call::all_reduce({data.data(), count, DataType::kU32}, Reduction::custom(sum));
  if (world.rank() == 0) call = call.within(kDeadlineMs);
  EXPECT_THROW(world.run(call), Error);
  std::ranges::fill(data, kOwn);
  ::usleep(4 * kPauseUs);
  EXPECT_EQ(std::ranges::count(data, kOwn), static_cast<std::ptrdiff_t>(count));
  return world.rank();
}

TEST(LateStore, BehindTheDeadlineOfTheMemorysOwner_IsNotMade) {
  give_up_during_stores("direct", kCount);
  give_up_during_stores("direct", kCount / 32);  // by the runner of single segments
  const int rank = give_up_during_stores("halving_doubling", kCount);
  if (!HasFailure()) std::printf("late store done: rank %d\n", rank);
}

}  // namespace
}  // namespace rondo::testing
