// Worlds whose ranks are on different kinds of devices, the host among them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "rondo/bootstrap.h"
#include "rondo/device.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

const std::vector<Device> kPlaces = {Device::emulated(0), Device::host(), Device::emulated(1)};

/// What each rank says to being made, all by themselves.
std::vector<std::string> refusals(const std::string& path) {
  CommunicatorOptions options;
  options.interface = "lo";
  options.device_path = path;
  options.timeout_ms = options.join_timeout_ms = 20'000;
  const std::string unique_id = make_unique_id("lo");
  std::vector<std::string> errors(kPlaces.size());
  std::vector<std::thread> threads;
  for (int rank = 0; rank < static_cast<int>(kPlaces.size()); ++rank) {
    threads.emplace_back([&, rank] {
      const auto index = static_cast<std::size_t>(rank);
      try {
        Communicator::create(Bootstrap{unique_id, rank, 3}, options, kPlaces[index]);
      } catch (const std::exception& error) {
        errors[index] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

TEST(MixedKinds, WayThatIsAskedFor_IsRefusedAlikeOnAllRanks) {
  for (const char* path : {"library", "messages", "devices", "kernel"}) {
    const auto errors = refusals(path);
    EXPECT_THAT(errors, Each(AllOf(HasSubstr("Unsupported"),
                                   HasSubstr(std::string("RONDO_DEVICE_PATH=") + path),
                                   HasSubstr("emulated: ranks 0, 2; host: rank 1"),
                                   HasSubstr("leave it at auto"))));
    EXPECT_THAT(errors, Each(errors.front()));
  }
}

TEST(MixedKinds, WithoutOne_GoByWayOfTheHost) {
  for (const char* path : {"auto", "host"}) {
    CommunicatorOptions options;
    options.device_path = path;
    options.timeout_ms = options.join_timeout_ms = 20'000;
    auto ranks = Communicator::create(kPlaces, options);
    const auto errors = run_ranks(ranks, [](Communicator& rank) {
      Memory<float> memory(rank.device(), 1'000, false);
      memory.write(0, std::vector<float>(1'000, 0.25F + static_cast<float>(rank.rank())));
      for (int turn = 0; turn < 2; ++turn) rank.all_reduce(memory.buffer(0, 1'000));
      EXPECT_THAT(memory.read(0, 1'000), Each(11.25F));
      EXPECT_EQ(rank.last_call().transport, "inproc");
    });
    EXPECT_THAT(errors, Each(""));
  }
}

}  // namespace
}  // namespace rondo::testing
