// Memory of a CUDA device in a program that has never asked Rondo for one: everything is on places
// of the host, and the driver, acted, is somebody else's. Each test in a process of its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/device/cuda/driver.h"
#include "core/device/cuda/library.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

/// As cudaMalloc gives it: 16 floats.
void* foreign_memory() {
  // Never destroyed: the acted driver's own variables of this thread would be gone by then.
  static auto* const driver =
      value_or_throw(device::CudaDriver::make(
                         value_or_throw(device::load_cuda_table(device::cuda_library_path()))))
          .release();
  EXPECT_FALSE(device::uses_devices()) << "Rondo was asked for a device";
  return value_or_throw(driver->allocate(0, 64));
}

auto is_refused() {
  return AllOf(HasSubstr("InvalidArgument"), HasSubstr("as memory of the host"),
               HasSubstr("kind cuda"));
}

std::vector<std::string> all_reduce(std::vector<Communicator>& ranks, void* memory,
                                    std::size_t count) {
  return run_ranks(ranks, [&](Communicator& rank) {
    float own = 0.5F;
    rank.all_reduce({memory == nullptr ? &own : memory, count, DataType::kF32});
  });
}

TEST(ForeignCuda, LoadedBeforeTheWorldIsMade_IsRefused) {
  void* const memory = foreign_memory();
  auto ranks = make_world({.size = 2});
  for (const bool sends : {true, false}) {
    const auto errors = run_ranks(ranks, [&](Communicator& rank) {
      const Buffer hidden{memory, 4, DataType::kF32};
      rank.start(sends ? Call::send(hidden, 0) : Call::receive(hidden, 0)).wait();
    });
    EXPECT_THAT(errors, Each(is_refused()));
  }
  EXPECT_THAT(all_reduce(ranks, memory, 4), Each(is_refused()));
  EXPECT_THAT(all_reduce(ranks, nullptr, 1), Each("")) << "and harms nothing";
  EXPECT_THAT(all_reduce(ranks, memory, 1), Each(is_refused())) << "though it is planned";
}

TEST(ForeignCuda, LoadedAfterwards_IsRefusedInCallsThatAreNew) {
  auto ranks = make_world({.size = 2});
  EXPECT_THAT(all_reduce(ranks, nullptr, 1), Each(""));
  void* const memory = foreign_memory();
  EXPECT_THAT(all_reduce(ranks, memory, 4), Each(is_refused()));
  EXPECT_THAT(all_reduce(ranks, memory, 1), Each(is_refused())) << "from then on in all others";
  EXPECT_THAT(all_reduce(ranks, nullptr, 1), Each(""));
}

TEST(ForeignCuda, LoadedAfterwards_IsRefusedInAWorldOfOne) {
  auto ranks = make_world({.size = 1});
  void* const memory = foreign_memory();
  std::vector<float> host(4);
  const auto errors = run_ranks(ranks, [&](Communicator& rank) {
    rank.all_reduce({memory, 4, DataType::kF32}, {host.data(), 4, DataType::kF32});
  });
  EXPECT_THAT(errors, Each(is_refused()));
}

}  // namespace
}  // namespace rondo::testing
