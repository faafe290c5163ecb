#include "collectives/verify/value.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

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

using schedule::Rotation;

/// Three ranks and three rows, one further each.
Rotation three() {
  return *Rotation::along(std::vector<schedule::Rank>{0, 1, 2},
                          std::vector<std::uint32_t>{1, 2, 0});
}

TEST(TurnedValue, Contributions_LookAlikeInEachTurn) {
  const Rotation rotation = three();
  const Value own = contribution(rotation, 0, 1);
  const Value next = contribution(rotation, 1, 2);
  EXPECT_EQ(own.sum, next.sum);
  EXPECT_EQ(own.tree, next.tree);
  EXPECT_NE(own.sum, contribution(rotation, 0, 2).sum);
  EXPECT_EQ(turned(own, rotation, 1, 1).first, next.first);
}

TEST(TurnedValue, PartialSum_HasNoKnownOrderAnyMore) {
  const Rotation rotation = three();
  const Value partial = combine(contribution(rotation, 0, 1), contribution(rotation, 1, 1));
  EXPECT_TRUE(partial.is_in_rank_order());
  EXPECT_FALSE(turned(partial, rotation, 1, 1).is_in_rank_order());
  EXPECT_EQ(turned(partial, rotation, 1, 1).tree, partial.tree);
}

TEST(TurnedValue, RowThatStays_OnlyInputsAndWholeSumsAreKnown) {
  const Rotation rotation =
      *Rotation::along(std::vector<schedule::Rank>{0, 1, 2}, std::vector<std::uint32_t>{0});
  const Value input = contribution(rotation, 0, 0);
  EXPECT_EQ(turned(input, rotation, 0, 2).sum, contribution(2, 0).sum);
  const Value partial = combine(input, contribution(rotation, 1, 0));
  EXPECT_NE(turned(partial, rotation, 0, 1).tree, partial.tree);
  EXPECT_TRUE(combine(turned(partial, rotation, 0, 1), input).unknown);
  EXPECT_FALSE(turned(input, rotation, 0, 1).unknown);
}

Value sum_by_rank(const Rotation& rotation, schedule::Rank maker,
                  const std::vector<Value>& values) {
  SumByRank sum(rotation, maker, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum.add(values[i], static_cast<schedule::Rank>(i));
  }
  return sum.sum();
}

TEST(SumByRank, AllInputs_IsInRankOrderWhoeverMakesIt) {
  const Rotation rotation = three();
  std::vector<Value> inputs;
  for (int rank = 0; rank < 3; ++rank) inputs.push_back(contribution(rotation, rank, 0));
  const Value sum = sum_by_rank(rotation, 0, inputs);
  EXPECT_EQ(sum.first, 0);
  EXPECT_EQ(sum.last, 2);
  EXPECT_EQ(sum.sum, combine(combine(inputs[0], inputs[1]), inputs[2]).sum);
  EXPECT_EQ(sum.tree, sum_by_rank(rotation, 1, inputs).tree);
}

TEST(SumByRank, OtherSources_AreOnlyWhatTheirMakerMakesOfThem) {
  const Rotation rotation = three();
  std::vector<Value> values;
  for (int rank = 0; rank < 3; ++rank) values.push_back(contribution(rotation, rank, 0));
  std::swap(values[0], values[1]);  // each has the other's input
  const Value sum = sum_by_rank(rotation, 0, values);
  EXPECT_FALSE(sum.is_in_rank_order());
  EXPECT_NE(sum.tree, sum_by_rank(rotation, 1, values).tree);
  const std::vector<Value> exchanged{values[1], values[2], values[0]};
  EXPECT_NE(sum.tree, sum_by_rank(rotation, 0, exchanged).tree) << "the same values from others";
  values.pop_back();
  EXPECT_FALSE(sum_by_rank(rotation, 0, values).is_in_rank_order());
}

}  // namespace
}  // namespace rondo::verify
