// Worlds that are told how fast their ranks' links are.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

std::uint64_t bytes_of(const Communicator& rank, std::uint64_t PeerTraffic::*direction) {
  std::uint64_t bytes = 0;
  for (const PeerTraffic& peer : rank.traffic()) bytes += peer.*direction;
  return bytes;
}

/// Not an integer, and different for each rank.
float contribution(int rank, std::size_t i) {
  return 0.1F + static_cast<float>(rank) * 1.7F + static_cast<float>(i % 89) * 0.013F;
}

TEST(Links, ASlowRank_MovesTheDataOnceEachWay) {
  constexpr std::size_t kCount = 1'000'003;
  spawn({.size = 4, .transport = "tcp", .links = "1,1,0.2,1"}, [](Communicator& rank) {
    std::vector<float> data(kCount);
    for (std::size_t i = 0; i < kCount; ++i) data[i] = contribution(rank.rank(), i);
    rank.all_reduce({data.data(), kCount});
    EXPECT_EQ(rank.last_call().algorithm, "weighted_direct");
    for (std::size_t i = 0; i < kCount; ++i) {
      double sum = 0;
      for (int other = 0; other < 4; ++other) sum += contribution(other, i);
      ASSERT_NEAR(data[i], sum, 1e-5) << i;
    }
    if (rank.rank() == 2) {
      EXPECT_LE(bytes_of(rank, &PeerTraffic::sent_bytes), kCount * 4 * 1.02);
      EXPECT_LE(bytes_of(rank, &PeerTraffic::received_bytes), kCount * 4 * 1.02);
    } else {
      // Each of the others owns a third: more than a ring's 1.5 times the data.
      EXPECT_GE(bytes_of(rank, &PeerTraffic::sent_bytes), kCount * 4 * 1.6);
    }
  });
}

TEST(Links, EqualOnes_ChangeNothing) {
  std::string algorithm;
  for (const char* links : {"equal", "3,3,3.1"}) {
    spawn({.size = 3, .transport = "tcp", .links = links}, [&](Communicator& rank) {
      std::vector<float> data(1 << 20, contribution(rank.rank(), 1));
      rank.all_reduce({data.data(), data.size()});
      if (rank.rank() != 0) return;
      if (algorithm.empty()) algorithm = rank.last_call().algorithm;
      EXPECT_EQ(rank.last_call().algorithm, algorithm);
    });
  }
}

TEST(Links, ShareBits_WithDirectWhateverTheSpeeds) {
  std::vector<float> expected;
  for (const auto& [algorithm, links] :
       {std::pair("direct", "equal"), std::pair("weighted_direct", "1,0.4,0.7"),
        std::pair("weighted_direct", "equal")}) {
    spawn({.size = 3, .algorithm = algorithm, .links = links}, [&](Communicator& rank) {
      std::vector<float> data(300'007);
      for (std::size_t i = 0; i < data.size(); ++i) data[i] = contribution(rank.rank(), i);
      rank.all_reduce({data.data(), data.size()});
      if (rank.rank() != 1) return;
      if (expected.empty()) expected = data;
      EXPECT_EQ(data, expected);
    });
  }
}

TEST(Links, OfASplit_AreThoseOfItsRanks) {
  spawn({.size = 6, .transport = "tcp", .links = "1,0.2,1,1,1,1"}, [](Communicator& rank) {
    auto some = rank.split(rank.rank() < 4 ? 0 : 1);
    std::vector<float> data(1 << 20, 1.5F);
    some->all_reduce({data.data(), data.size()});
    EXPECT_THAT(data, Each(static_cast<float>(some->size()) * 1.5F));
    EXPECT_EQ(some->last_call().algorithm == "weighted_direct", some->size() == 4);
  });
}

TEST(Links, Measured_LeaveWorldsOfOneHostAlone) {
  spawn({.size = 3, .transport = "tcp", .links = "measure"}, [](Communicator& rank) {
    EXPECT_EQ(bytes_of(rank, &PeerTraffic::sent_bytes), 0U);
    float one = 1;
    rank.all_reduce({&one, 1});
    EXPECT_EQ(one, 3);
  });
}

TEST(Links, ThatAreNoSpeeds_AreRefused) {
  for (const char* wrong : {"1,1", "1,1,1,1", "fast", "1,,1", "1,1,-1", "1,1,0", "1,1,nan",
                            "1,1,1,", "1,1,inf", "1 ,1,1", ""}) {
    try {
      make_world({.size = 3, .links = wrong});
      ADD_FAILURE() << "'" << wrong << "' was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      EXPECT_THAT(error.what(), HasSubstr("the speed of each of the 3 ranks' links, as in "
                                          "'1,1,0.2', not '" +
                                          std::string(wrong) + "'"));
    }
  }
}

}  // namespace
}  // namespace rondo::testing
