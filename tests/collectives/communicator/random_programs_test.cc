// Random programs by places of one process, each world otherwise: its transport, algorithm,
// segments, progress, device. A hang is an error of the calls' deadline.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/collectives/communicator/random_program.h"
#include "tests/collectives/communicator/random_step.h"
#include "tests/collectives/communicator/spawn.h"
#include "tests/fuzz_trials.h"

namespace rondo::testing {
namespace {

constexpr int kWorlds = 40;
constexpr int kDeadlineMs = 30'000;
constexpr std::array kTransports = {"inproc", "shm", "tcp"};
constexpr std::array kAlgorithms = {"auto",
                                    "auto",
                                    "auto",
                                    "ring",
                                    "bidirectional_ring",
                                    "direct",
                                    "one_shot",
                                    "double_binary_tree",
                                    "bruck",
                                    "pat",
                                    "linear",
                                    "tree",
                                    "halving_doubling",
                                    "recursive_doubling",
                                    "hierarchical",
                                    "neighbour_ring",
                                    "pairwise",
                                    "weighted_direct"};
constexpr std::array<std::size_t, 4> kSegments = {0, 0, 64, 1024};

/// Of what kind the devices of all worlds are, where the test's environment says so (as own_device
/// has it); else those of some are emulated.
std::optional<DeviceKind> kind_of_all() {
  const char* const name = std::getenv("RONDO_TEST_DEVICE");
  if (name == nullptr) return std::nullopt;
  return find_device_kind(name).value();
}

World draw_world(std::uint64_t seed) {
  Draws draws(seed, 0, 0xA11);
  World world{.size = 1 + static_cast<int>(draws.below(5)),
              .transport = kTransports[draws.below(kTransports.size())],
              .algorithm = kAlgorithms[draws.below(kAlgorithms.size())]};
  world.timeout_ms = kDeadlineMs;
  world.progress = draws.once_in(4) ? "caller" : "thread";
  world.deterministic = draws.once_in(6);
  world.segment_bytes = kSegments[draws.below(kSegments.size())];
  world.tcp_sockets = static_cast<int>(draws.below(4));
  const std::optional<DeviceKind> kind = kind_of_all();
  if (kind.has_value() || draws.once_in(5)) {
    world.device = {kind.value_or(DeviceKind::kEmulated), 0};
    const int most_devices = std::min(4, device_count(world.device.kind));
    world.devices = 1 + static_cast<int>(draws.below(static_cast<std::size_t>(most_devices)));
    // Each segment is an event, of which the devices of a process have so many.
    if (world.segment_bytes != 0) world.segment_bytes = kSegments.back();
  }
  return world;
}

std::string to_string(const World& world) {
  return std::to_string(world.size) + " ranks on " + rondo::to_string(world.device.kind) +
         " over " + world.transport + " by " + world.algorithm + ", segments of " +
         std::to_string(world.segment_bytes) + ", moved on by a " + world.progress +
         (world.deterministic ? ", deterministic" : "");
}

void run_world(std::uint64_t seed) {
  const World world = draw_world(seed);
  SCOPED_TRACE(to_string(world));
  const bool on_host = world.device.kind == DeviceKind::kHost;
  // What the caller alone moves on stands still while it waits in another communicator; and one
  // communicator's kernels may leave no room on the device for another's.
  const char* const path = std::getenv("RONDO_DEVICE_PATH");
  const bool by_kernels = path != nullptr && std::string_view(path) == "kernel";
  const RandomProgram program{.seed = seed,
                              .steps = on_host ? 60 : 25,
                              .messages = on_host,
                              .split = world.progress == "thread" && !by_kernels};
  std::vector<std::uint64_t> digests(static_cast<std::size_t>(world.size));
  spawn(world, [&](Communicator& rank) {
    digests[static_cast<std::size_t>(rank.rank())] = run_program(rank, program);
  });
  for (const std::uint64_t digest : digests) EXPECT_EQ(digest, digests[0]) << "ranks differ";
}

TEST(RandomPrograms, OfPlacesOfAProcess_AreRightOnEveryRank) {
  FuzzTrials trials(kWorlds);
  while (trials.next() && !HasFailure()) run_world(trials.random()());
}

}  // namespace
}  // namespace rondo::testing
