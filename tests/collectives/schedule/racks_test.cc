#include "collectives/schedule/racks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <random>
#include <set>
#include <vector>

#include "tests/collectives/schedule/two_racks.h"

namespace rondo::schedule {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(Racks, SlowPairsOfFastLinks_PartThem) {
  EXPECT_THAT(racks_of(two_racks(0.25, 5)), ElementsAre(0, 1, 0, 1, 0));
  EXPECT_THAT(racks_of(two_racks(1, 5)), Each(0));
}

TEST(Racks, SlowHosts_AreOfTheSame) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> speed(0.1, 1.0);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> speeds(static_cast<std::size_t>(2 + trial % 7));
    for (double& one : speeds) one = speed(random);
    EXPECT_THAT(racks_of(LinkSpeeds::of_ranks(speeds)), Each(0)) << "trial " << trial;
  }
}

// Its pairs are as fast as its own link, whichever rack they lead to.
TEST(Racks, AHostAsSlowAsTheLinkBetweenThem_DoesNotJoinThem) {
  for (std::size_t slow = 0; slow < 6; ++slow) {
    std::vector<double> own(6, 1);
    own[slow] = 0.25;
    const std::vector<int> racks = racks_of(two_racks(0.25, own));
    std::array<std::set<int>, 2> of_fast_hosts;
    for (std::size_t rank = 0; rank < 6; ++rank)
      if (rank != slow) of_fast_hosts[rank % 2].insert(racks[rank]);
    EXPECT_EQ(of_fast_hosts[0].size(), 1U) << slow;
    EXPECT_EQ(of_fast_hosts[1].size(), 1U) << slow;
    EXPECT_NE(of_fast_hosts[0], of_fast_hosts[1]) << slow;
  }
}

// 0 to 1 and 2 to 3 were measured at once and had half of the link each; 0 to 3 and 2 to 1 had it
// alone.
TEST(Racks, PairsThatWereMeasuredAtOnce_AreAsFastAsThoseThatHadTheLinkAlone) {
  const std::vector<double> pairs{1,    .125, 1,    .25,   //
                                  .125, 1,    .25,  1,     //
                                  1,    .25,  1,    .125,  //
                                  .25,  1,    .125, 1};
  const LinkSpeeds links = with_racks_alike(LinkSpeeds::of_pairs(4, pairs));
  for (Rank from = 0; from < 4; ++from)
    for (Rank to = 0; to < 4; ++to)
      EXPECT_EQ(links.between(from, to), (from + to) % 2 == 0 ? 1 : 0.25) << from << ' ' << to;
}

TEST(Racks, WithoutRacks_AndInside_LinksStayAsTheyAre) {
  const LinkSpeeds slow_host = LinkSpeeds::of_ranks(std::vector<double>{1, 0.25, 1, 0.5});
  EXPECT_EQ(with_racks_alike(slow_host), slow_host);
  std::vector<double> own(6, 1);
  own[3] = 0.125;
  const LinkSpeeds racks = two_racks(0.5, own);
  EXPECT_EQ(with_racks_alike(racks), racks) << "3 is as slow to either rack";
  const LinkSpeeds memory =
      LinkSpeeds::of_pairs(3, std::vector<double>{0, 0, .5, 0, 0, 1, .5, 1, 0});
  EXPECT_TRUE(with_racks_alike(memory).share_memory(0, 1));
}

}  // namespace
}  // namespace rondo::schedule
