#include "transport/mesh/opened_place.h"

#include <gtest/gtest.h>

#include "tests/transport/shm/mapped_bytes.h"

namespace rondo::transport {
namespace {

TEST(OpenedPlace, SharedMemory_isForTheRanksOfTheHostAlone) {
  constexpr int kWorld = 300;
  std::vector<RankInfo> ranks;
  for (int rank = 0; rank < kWorld; ++rank)
    ranks.push_back({.process = rank,
                     .pid = 1000 + rank,
                     .hostname = rank % 100 == 7 ? "here" : "there",
                     .host_identity = rank % 100 == 7 ? "here" : "there"});
  const std::uint64_t before = mapped_bytes("rondo-control");
  const auto place = OpenedPlace::open({.job = 5, .epoch = 1, .rank = 107, .world = kWorld},
                                       std::move(ranks), {.address = "127.0.0.1"});
  ASSERT_TRUE(place.ok()) << place.status().to_string();
  EXPECT_FALSE(place->addresses().of(TransportKind::kShm).empty());
  const std::uint64_t bytes = mapped_bytes("rondo-control") - before;
  EXPECT_GT(bytes, 0u);
  EXPECT_LT(bytes, std::uint64_t{1} << 20) << "a page for each channel of the world is more";
}

}  // namespace
}  // namespace rondo::transport
