#include "collectives/verify/value.h"

#include <gtest/gtest.h>

#include <set>

namespace rondo::verify {
namespace {

TEST(Value, Contributions_AreAllDifferentAndInTheField) {
  std::set<std::uint64_t> sums;
  for (int rank = 0; rank < 64; ++rank) {
    for (std::uint32_t row = 0; row < 64; ++row) {
      const std::uint64_t sum = contribution(rank, row).sum;
      EXPECT_LT(sum, (std::uint64_t{1} << 61) - 1);
      sums.insert(sum);
    }
  }
  EXPECT_EQ(sums.size(), 64U * 64U);
}

TEST(Value, Combine_CommutesButDoesNotAssociate) {
  const Value a = contribution(0, 0);
  const Value b = contribution(1, 0);
  const Value c = contribution(2, 0);
  EXPECT_EQ(combine(a, b).tree, combine(b, a).tree);
  const Value left = combine(combine(a, b), c);
  const Value right = combine(a, combine(b, c));
  EXPECT_EQ(left.sum, right.sum);
  EXPECT_NE(left.tree, right.tree);
}

TEST(Value, RankOrder_IsOneContributionAfterTheOtherOnTheRight) {
  const Value a = contribution(0, 0);
  const Value b = contribution(1, 0);
  const Value c = contribution(2, 0);
  const Value left = combine(combine(a, b), c);
  EXPECT_EQ(left.first, 0);
  EXPECT_EQ(left.last, 2);
  for (const Value& other : {combine(b, a), combine(a, combine(b, c)), combine(a, c),
                             combine(combine(a, b), b), combine(c, combine(a, b))}) {
    EXPECT_FALSE(other.is_in_rank_order());
  }
}

TEST(Value, FieldAdd_WrapsAtThePrime) {
  constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
  EXPECT_EQ(field_add(kPrime - 1, 1), 0U);
  EXPECT_EQ(field_add(kPrime - 1, kPrime - 1), kPrime - 2);
}

}  // namespace
}  // namespace rondo::verify
