// Speeds of links, who should own how much of the data, and rings over fast links, by brute force.

#include "collectives/schedule/link_speeds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace rondo::schedule {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;

/// How long the slowest rank takes, for a rank's link of speed 1 and data of size 1.
double time_of(const LinkSpeeds& links, const std::vector<double>& shares) {
  double longest = 0;
  for (Rank rank = 0; rank < links.world(); ++rank) {
    const double volume = 1 + (links.world() - 2) * shares[static_cast<std::size_t>(rank)];
    longest = std::max(longest, volume / links.of(rank));
  }
  return longest;
}

TEST(LinkSpeeds, AlmostEqual_AreEqual) {
  const auto links = LinkSpeeds::of_ranks(std::vector<double>{117.1, 119.9, 98, 112});
  EXPECT_EQ(links.slowest(), 1);
  EXPECT_THAT(owners_shares(links), Each(0.25));
}

TEST(LinkSpeeds, OfAPair_AreTheSlowerEnds_RoundedToEighths) {
  const auto links = LinkSpeeds::of_ranks(std::vector<double>{1000, 200, 510});
  EXPECT_EQ(links.between(0, 1), 0.375);  // relative to the fastest pair, 510
  EXPECT_EQ(links.between(1, 0), 0.375);
  EXPECT_EQ(links.between(0, 2), 1);
  EXPECT_EQ(links.of(0), 1);
  EXPECT_EQ(links.of(1), 0.375);
}

TEST(LinkSpeeds, ARankIsAsFastAsItsSlowerDirection) {
  // Rank 2 receives slowly from everyone; 0 and 1 share memory.
  const std::vector<double> pairs{0, 0, 1, 8, 0, 0, 1, 8, 8, 8, 0, 8, 8, 8, 1, 0};
  const auto links = LinkSpeeds::of_pairs(4, pairs);
  EXPECT_EQ(links.of(2), 0.125);
  EXPECT_EQ(links.of(0), 1);
  EXPECT_EQ(links.between(0, 1), 1);
}

TEST(LinkSpeeds, RanksThatShareASlowHostsMemory_AreSlow) {
  // Three hosts of two ranks; the second has a fifth of the others' speed.
  std::vector<double> pairs(36, 0);
  for (std::size_t a = 0; a < 6; ++a) {
    for (std::size_t b = 0; b < 6; ++b) {
      if (a / 2 != b / 2) pairs[a * 6 + b] = a / 2 == 1 || b / 2 == 1 ? 0.2 : 1;
    }
  }
  const auto links = LinkSpeeds::of_pairs(6, pairs);
  EXPECT_EQ(links.of(2), 0.25);
  EXPECT_EQ(links.of(3), 0.25);
  EXPECT_EQ(links.between(2, 3), 1);
  EXPECT_EQ(owners_shares(links)[2], 0);
  const auto host = links.restricted_to(std::vector<Rank>{2, 3});
  EXPECT_EQ(host.of(0), 1) << "alone, they share memory with all";
}

TEST(LinkSpeeds, OneSlowRankOfFour_OwnsNothing) {
  const auto links = LinkSpeeds::of_ranks(std::vector<double>{1, 0.2, 1, 1});
  const double third = 1.0 / 3;
  EXPECT_THAT(
      owners_shares(links),
      ElementsAre(DoubleNear(third, 1e-12), 0, DoubleNear(third, 1e-12), DoubleNear(third, 1e-12)));
}

TEST(LinkSpeeds, Shares_AreTheBestOfAThousandOthers) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> speed(0.1, 1.0), part(0.0, 1.0);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> speeds(static_cast<std::size_t>(3 + trial % 5));
    for (double& one : speeds) one = speed(random);
    const auto links = LinkSpeeds::of_ranks(speeds);
    const auto shares = owners_shares(links);
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-12);
    const double best = time_of(links, shares);
    for (int other = 0; other < 1000; ++other) {
      std::vector<double> tried(speeds.size());
      for (double& one : tried) one = part(random) * part(random);
      const double sum = std::accumulate(tried.begin(), tried.end(), 0.0);
      for (double& one : tried) one /= sum;
      ASSERT_LE(best, time_of(links, tried) + 1e-9);
    }
  }
}

TEST(LinkSpeeds, FastRing_IsTheBestOfAllRingsOfSix) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> eighths(1, 8);
  for (int trial = 0; trial < 30; ++trial) {
    std::vector<double> pairs(36, 0);
    for (std::size_t a = 0; a < 6; ++a) {
      for (std::size_t b = 0; b < a; ++b) pairs[a * 6 + b] = pairs[b * 6 + a] = eighths(random);
    }
    const auto links = LinkSpeeds::of_pairs(6, pairs);
    std::vector<Rank> order(6);
    std::iota(order.begin(), order.end(), 0);
    const auto found = fast_ring(links, order);
    EXPECT_TRUE(std::is_permutation(found.begin(), found.end(), order.begin()));
    double best = 0;
    do {
      best = std::max(best, slowest_step(links, order));
    } while (std::next_permutation(order.begin() + 1, order.end()));
    EXPECT_EQ(slowest_step(links, found), best) << "trial " << trial;
  }
}

TEST(LinkSpeeds, FastRingOfTwoRacks_CrossesTwice) {
  constexpr std::size_t kRanks = 24;
  std::vector<double> pairs(kRanks * kRanks, 1);
  for (std::size_t a = 0; a < kRanks; ++a) {
    for (std::size_t b = 0; b < kRanks; ++b) {
      if (a % 2 != b % 2) pairs[a * kRanks + b] = 0.25;
    }
  }
  const auto links = LinkSpeeds::of_pairs(kRanks, pairs);
  std::vector<Rank> order(kRanks);
  std::iota(order.begin(), order.end(), 0);
  const auto found = fast_ring(links, order);
  int slow = 0;
  for (std::size_t place = 0; place < kRanks; ++place) {
    slow += links.between(found[place], found[(place + 1) % kRanks]) < 1 ? 1 : 0;
  }
  EXPECT_EQ(slow, 2);
}

TEST(LinkSpeeds, EqualLinks_KeepTheOrder) {
  const auto links = LinkSpeeds::of_ranks(std::vector<double>(5, 3.0));
  const std::vector<Rank> order{3, 1, 4, 0, 2};
  EXPECT_EQ(fast_ring(links, order), order);
}

TEST(LinkSpeeds, RestrictedToSome_AreTheirs) {
  const auto links = LinkSpeeds::of_ranks(std::vector<double>{1, 0.25, 0.5, 1});
  const auto some = links.restricted_to(std::vector<Rank>{2, 0, 1});
  EXPECT_EQ(some.world(), 3);
  EXPECT_EQ(some.between(0, 1), 0.5);
  EXPECT_EQ(some.of(2), 0.25);
}

}  // namespace
}  // namespace rondo::schedule
