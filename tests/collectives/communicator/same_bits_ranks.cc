// What the bits of a sum depend on, on one rank of a world of processes, to be started by a
// launcher: those of one algorithm not on the transport, and in deterministic mode they don't
// depend on the algorithm either.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "rondo/communicator.h"
#include "tests/collectives/communicator/values.h"

namespace rondo::testing {
namespace {

/// A ring's rows are longer than a segment within a host, and shorter than one over tcp.
constexpr std::size_t kCount = 100'001;

struct Way {
  const char* transport;
  const char* algorithm;
  bool deterministic = false;
};

std::string name_of(const Way& way) {
  return std::string(way.algorithm) + " over " + way.transport +
         (way.deterministic ? ", deterministic" : "");
}

template <typename T>
std::string bits_of_sum(Communicator& world) {
  auto data = values<T>(world.rank(), kCount, ReduceOp::kSum);
  world.all_reduce(Buffer(data.data(), data.size(), kernels::type_of<T>()));
  return {reinterpret_cast<const char*>(data.data()), data.size() * sizeof(T)};
}

/// In a world of its own; the same on every rank.
std::uint64_t digest_of(const Way& way) {
  CommunicatorOptions options;
  options.transport = way.transport;
  options.algorithm = way.algorithm;
  options.deterministic = way.deterministic;
  Communicator world = Communicator::create(options);
  const std::string bits = bits_of_sum<float>(world) + bits_of_sum<kernels::Bfloat>(world);
  EXPECT_EQ(world.last_call().algorithm, way.algorithm);
  EXPECT_EQ(world.last_call().transport, way.transport);
  const std::uint64_t own = std::hash<std::string>()(bits);
  std::printf("rank %d: %016llx by %s\n", world.rank(), static_cast<unsigned long long>(own),
              name_of(way).c_str());
  std::vector<std::uint64_t> all(static_cast<std::size_t>(world.size()));
  world.all_gather({&own, 1, DataType::kU64}, {all.data(), all.size(), DataType::kU64});
  EXPECT_EQ(all, std::vector(all.size(), own)) << name_of(way) << ": ranks differ";
  return own;
}

TEST(SameBitsOfProcesses, OverEveryTransport_AndInDeterministicModeByEveryAlgorithm) {
  Communicator all = Communicator::create();
  const std::uint64_t ring = digest_of({"shm", "ring"});
  EXPECT_EQ(ring, digest_of({"tcp", "ring"}));
  EXPECT_EQ(digest_of({"shm", "double_binary_tree"}), digest_of({"tcp", "double_binary_tree"}));
  const std::uint64_t in_rank_order = digest_of({"shm", "direct", true});
  EXPECT_EQ(in_rank_order, digest_of({"tcp", "direct", true}));
  EXPECT_EQ(in_rank_order, digest_of({"shm", "one_shot", true}));
  EXPECT_NE(in_rank_order, ring) << "another order: or this would show nothing";
  all.barrier();
  std::printf("same bits done: rank %d of %d\n", all.rank(), all.size());
}

}  // namespace
}  // namespace rondo::testing
