#include "collectives/verify/lineage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace rondo::verify {
namespace {

using testing::HasSubstr;

/// Nodes by the rank, row and sources of sweeps that are numbered through.
struct Sweeps {
  Lineage lineage;
  std::size_t count = 0;

  Lineage::Id of(schedule::Rank rank, std::uint32_t row, const std::vector<Lineage::Id>& sources) {
    return lineage.made({static_cast<LaneId>(rank), count++}, rank, row, sources);
  }
};

constexpr std::array<schedule::Rank, 3> kAll{0, 1, 2};

void expect_fault(const std::optional<Fault>& fault, const Maker& maker, const std::string& text) {
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->maker, maker) << fault->maker.lane << ", " << fault->maker.sweep;
  EXPECT_THAT(fault->text, HasSubstr(text));
}

TEST(Lineage, Text_GroupsByRowAndShowsRepeats) {
  Sweeps s;
  const auto one = s.lineage.input(1, 5);
  const auto two = s.of(0, 5, {one, s.lineage.input(0, 5)});
  EXPECT_EQ(s.lineage.text(two), "row 5 of ranks {0, 1}");
  EXPECT_EQ(s.lineage.text(s.of(0, 5, {two, one})), "row 5 of ranks {0, 1, 1}");
  EXPECT_EQ(s.lineage.text(s.of(0, 5, {two, s.lineage.input(3, 2)})),
            "row 2 of ranks {3}, row 5 of ranks {0, 1}");
  EXPECT_EQ(s.lineage.text(0), "nothing");
}

TEST(Lineage, Maker_OfAnInputIsNone) {
  Sweeps s;
  const auto input = s.lineage.input(1, 5);
  EXPECT_FALSE(s.lineage.maker(input));
  EXPECT_FALSE(s.lineage.maker(0));
  EXPECT_EQ(s.lineage.maker(s.of(2, 5, {input})), (Maker{2, 0}));
}

TEST(Lineage, RightSum_HasNoFault) {
  Sweeps s;
  const auto sum = s.of(1, 0, {s.lineage.input(0, 0), s.lineage.input(1, 0)});
  EXPECT_FALSE(s.lineage.fault(s.of(2, 0, {sum, s.lineage.input(2, 0)}), kAll));
}

TEST(Lineage, Repeated_IsWhereItMeetsTheSecondTime) {
  Sweeps s;
  const auto one = s.lineage.input(1, 0);
  const auto sent = s.of(1, 0, {one});
  const auto sum = s.of(0, 0, {s.lineage.input(0, 0), sent});
  const auto twice = s.of(1, 0, {sum, one});
  const auto end = s.of(2, 0, {s.of(1, 0, {twice}), s.lineage.input(2, 0)});
  expect_fault(s.lineage.fault(end, kAll), {1, 2}, "adds row 0 of rank 1 a second time");
}

TEST(Lineage, Missing_IsWhereItsRankPassedTheRestOn) {
  Sweeps s;
  const auto first = s.of(0, 0, {s.lineage.input(0, 0)});
  const auto received = s.of(1, 0, {first});
  const auto end = s.of(2, 0, {s.of(1, 0, {received}), s.lineage.input(2, 0)});
  expect_fault(s.lineage.fault(end, kAll), {1, 1}, "without adding row 0 of rank 1");
  const auto nobody = s.of(2, 0, {first, s.lineage.input(2, 0)});
  EXPECT_FALSE(s.lineage.fault(nobody, kAll)) << "rank 1 has never had it";
}

TEST(Lineage, ValuesDoubledAgainAndAgain_AreCountedNoFurther) {
  Sweeps s;
  auto value = s.lineage.input(0, 0);
  for (int i = 0; i < 200; ++i) value = s.of(0, 0, {value, value});
  EXPECT_THAT(s.lineage.text(value), HasSubstr("row 0 of ranks {0, 0, 0"));
  EXPECT_LT(s.lineage.text(value).size(), 50U);
  expect_fault(s.lineage.fault(value, kAll), {0, 0}, "a second time");
}

}  // namespace
}  // namespace rondo::verify
