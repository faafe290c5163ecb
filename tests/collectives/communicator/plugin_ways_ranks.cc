// How each collective is made between processes on a plug-in's devices: by the plug-in's library,
// by our schedules on the devices, or by way of the host; with results that are right. To be
// started by a launcher, with RONDO_TEST_DEVICE.

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "tests/collectives/communicator/grid.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/own_device.h"

namespace rondo::testing {
namespace {

constexpr std::size_t kPart = 1'009;

class Ways {
 public:
  explicit Ways(const Communicator& world) : world_(world) {}

  /// The last call was one of these.
  void add(const char* collective) {
    const std::string_view kind = to_string(world_.device().kind);
    const CallInfo call = world_.last_call();
    std::string& way = call.algorithm == kind   ? by_library_
                       : call.transport == kind ? on_devices_
                                                : by_host_;
    way += std::string(" ") + collective;
  }
  std::string text() const {
    return "by library:" + by_library_ + " / on devices:" + on_devices_ + " / by host:" + by_host_;
  }

 private:
  const Communicator& world_;
  std::string by_library_;
  std::string on_devices_;
  std::string by_host_;
};

/// Rank r's part has r + 1 elements, which are r + 0.5.
void gather_parts_of_their_own_sizes(Communicator& world) {
  std::vector<std::size_t> counts;
  std::vector<float> want;
  for (int rank = 0; rank < world.size(); ++rank) {
    counts.push_back(static_cast<std::size_t>(rank) + 1);
    want.insert(want.end(), counts.back(), static_cast<float>(rank) + 0.5F);
  }
  const std::size_t own = counts[static_cast<std::size_t>(world.rank())];
  Memory<float> input(world.device(), own, false);
  Memory<float> output(world.device(), want.size(), false);
  input.write(0, std::vector<float>(own, static_cast<float>(world.rank()) + 0.5F));
  world.all_gather_v(input.buffer(0, own), output.buffer(0, want.size()), counts);
  EXPECT_EQ(output.read(0, want.size()), want);
}

std::string ways_of(Communicator& world) {
  const std::size_t all = kPart * static_cast<std::size_t>(world.size());
  Memory<float> memory(world.device(), 2 * all, false);
  const Buffer part = memory.buffer(0, kPart);
  const Buffer whole = memory.buffer(all, all);
  const Buffer other_whole = memory.buffer(0, all);
  Ways ways(world);
  world.all_reduce(part);
  ways.add("all_reduce");
  world.reduce(part, part, 0);
  ways.add("reduce");
  world.reduce_scatter(whole, part);
  ways.add("reduce_scatter");
  world.broadcast(part, 1);
  ways.add("broadcast");
  world.all_gather(part, whole);
  ways.add("all_gather");
  gather_parts_of_their_own_sizes(world);
  ways.add("all_gather_v");
  world.gather(part, whole, 0);
  ways.add("gather");
  world.scatter(whole, part, 1);
  ways.add("scatter");
  world.all_to_all(whole, other_whole);
  ways.add("all_to_all");
  return ways.text();
}

TEST(PluginWays, EveryCollective_IsRight_AndGoesTheWayThatThereIs) {
  Communicator world = Communicator::create({}, own_device());
  every_collective(world, {.world = world.size(), .count = kPart});
  std::printf("rank %d %s /\n", world.rank(), ways_of(world).c_str());
}

}  // namespace
}  // namespace rondo::testing
