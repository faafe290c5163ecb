#include "transport/mesh/opened_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

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

class OpenedPlaces : public ::testing::TestWithParam<std::string> {
 protected:
  static OpenedPlace open(int rank) {
    const RankInfo here{.process = 0, .pid = 1000, .hostname = "here", .host_identity = "here"};
    auto place = OpenedPlace::open({.job = 7, .epoch = 1, .rank = rank, .world = 2}, {here, here},
                                   {.transport = GetParam(), .address = "127.0.0.1"});
    EXPECT_TRUE(place.ok()) << place.status().to_string();
    return std::move(place).value();
  }
};

// A peer that was opened and doesn't connect: nothing on the way to it says so.
TEST_P(OpenedPlaces, Connect_asksWhoLooksForThePeers_andEndsWithWhatIsSeen) {
  OpenedPlace own = open(0);
  const OpenedPlace peer = open(1);
  int looks = 0;
  const Look look = [&] {
    return ++looks < 3 ? Status() : Status(ErrorCode::kPeerLost, "it has died", 1);
  };
  const auto begin = std::chrono::steady_clock::now();
  const Status status =
      own.connect({own.addresses(), peer.addresses()}, begin + std::chrono::seconds(20), look);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(status.code(), ErrorCode::kPeerLost) << status.to_string();
  EXPECT_EQ(status.culprit(), 1);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("it has died"));
  EXPECT_EQ(looks, 3);
}

TEST_P(OpenedPlaces, Connect_whileTheLookSeesNothing_waitsUntilTheDeadline) {
  OpenedPlace own = open(0);
  const OpenedPlace peer = open(1);
  int looks = 0;
  const Look look = [&] { return ++looks, Status(); };
  const auto begin = std::chrono::steady_clock::now();
  const Status status = own.connect({own.addresses(), peer.addresses()},
                                    begin + std::chrono::milliseconds(400), look);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(400));
  EXPECT_EQ(status.code(), ErrorCode::kTimeout) << status.to_string();
  EXPECT_GE(looks, 2);
  EXPECT_LE(looks, 40) << "whoever is asked may have to ask all ranks";
}

INSTANTIATE_TEST_SUITE_P(Transports, OpenedPlaces, ::testing::Values("inproc", "shm", "tcp"),
                         [](const auto& parameters) { return parameters.param; });

}  // namespace
}  // namespace rondo::transport
