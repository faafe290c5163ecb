// Worlds of processes whose devices' streams are late, each world otherwise: split after split has
// streams of its own, and each stream its own seed. Every rank checks every element, of values
// whose sums are exact, so that one wait that is missing shows as a wrong bit. To be started by a
// launcher, on the kind of device that RONDO_TEST_DEVICE names.

#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <vector>

#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/own_device.h"

namespace rondo::testing {
namespace {

constexpr int kWorlds = RONDO_WORLDS;
/// Now and then more messages than there are slots and room on the way.
std::size_t part_of(int world) { return world % 100 == 0 ? 4'000 : 300; }
constexpr std::size_t kLargestPart = 4'000;

float value(int rank, std::size_t element, int world) {
  return static_cast<float>(rank + 1) * 0.25F +
         static_cast<float>((element + static_cast<std::size_t>(world)) % 1'021);
}

std::vector<float> values(int rank, std::size_t count, int world) {
  std::vector<float> list(count);
  for (std::size_t i = 0; i < count; ++i) list[i] = value(rank, i, world);
  return list;
}

/// By how many elements a sum over all ranks is wrong, from `first` on.
std::size_t wrong(const std::vector<float>& sums, std::size_t first, int ranks, int world) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    float sum = 0;
    for (int rank = 0; rank < ranks; ++rank) sum += value(rank, first + i, world);
    if (sums[i] != sum) ++count;
  }
  return count;
}

/// Calls one after the other, the next over what the last has read and written; and what a call has
/// read is written over as soon as it ends, for peers have nothing to look for there any more.
void check_world(Communicator& ranks, Memory<float>& memory, int world) {
  const auto size = static_cast<std::size_t>(ranks.size());
  const auto rank = static_cast<std::size_t>(ranks.rank());
  const std::size_t part = part_of(world);
  const std::size_t whole = part * size;
  memory.write(0, values(ranks.rank(), whole, world));
  ranks.all_reduce(memory.buffer(0, whole), memory.buffer(whole, whole));
  memory.write(0, std::vector<float>(whole, -1.0F));
  memory.write(0, values(ranks.rank(), whole, world));
  ranks.reduce_scatter(memory.buffer(0, whole), memory.buffer(2 * whole, part));
  memory.write(0, std::vector<float>(whole, -2.0F));
  ranks.all_gather(memory.buffer(2 * whole, part), memory.buffer(0, whole));
  ASSERT_EQ(wrong(memory.read(whole, whole), 0, ranks.size(), world), 0U) << world;
  ASSERT_EQ(wrong(memory.read(2 * whole, part), rank * part, ranks.size(), world), 0U) << world;
  ASSERT_EQ(wrong(memory.read(0, whole), 0, ranks.size(), world), 0U) << world;
}

TEST(Delayed, EveryWorld_HasEveryBit) {
  Communicator all = Communicator::create({}, own_device());
  Memory<float> memory(all.device(), 3 * kLargestPart * static_cast<std::size_t>(all.size()),
                       false);
  for (int world = 0; world < kWorlds && !HasFatalFailure(); ++world) {
    std::optional<Communicator> ranks = all.split(0, all.rank());
    ASSERT_TRUE(ranks.has_value());
    check_world(*ranks, memory, world);
  }
  std::printf("delayed done: rank %d of %d\n", all.rank(), all.size());
}

}  // namespace
}  // namespace rondo::testing
