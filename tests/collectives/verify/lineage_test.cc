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
  EXPECT_THAT(fault->before + "OP" + fault->behind, HasSubstr(text));
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

TEST(Lineage, TextOfManyRanks_HasRunsAndAnEnd) {
  Sweeps s;
  std::vector<Lineage::Id> inputs;
  for (const int rank : {0, 1, 2, 3, 5, 6, 9}) inputs.push_back(s.lineage.input(rank, 0));
  EXPECT_EQ(s.lineage.text(s.of(0, 0, inputs)), "row 0 of ranks {0 to 3, 5, 6, 9}");
  for (int rank = 10; rank < 100; rank += 2) inputs.push_back(s.lineage.input(rank, 0));
  EXPECT_EQ(s.lineage.text(s.of(0, 0, inputs)),
            "row 0 of ranks {0 to 3, 5, 6, 9, 10, 12, 14, 16, 18, 20, 22, 24, ...}");
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
  s.lineage.input(1, 0);
  s.lineage.input(1, 7);  // another row
  const auto first = s.of(0, 0, {s.lineage.input(0, 0)});
  const auto received = s.of(1, 0, {first});
  const auto end = s.of(2, 0, {s.of(1, 0, {received}), s.lineage.input(2, 0)});
  expect_fault(s.lineage.fault(end, kAll), {1, 1},
               "the mistake is at OP: it takes what comes without adding row 0 of rank 1");
}

TEST(Lineage, MissingThatNobodyReads_HasNoFault) {
  Sweeps s;
  s.lineage.input(1, 0);
  const auto first = s.of(0, 0, {s.lineage.input(0, 0)});
  EXPECT_FALSE(s.lineage.fault(s.of(2, 0, {first, s.lineage.input(2, 0)}), kAll));
}

/// A rank between two others relays what isn't its own to add to.
TEST(Lineage, MissingThatWasPassedOn_IsWhereItEnds) {
  Sweeps s;
  const auto relayed = s.of(1, 0, {s.of(1, 0, {s.of(0, 0, {s.lineage.input(0, 0)})})});
  const auto sent = s.of(1, 0, {s.lineage.input(1, 0)});
  const auto first = s.of(2, 0, {relayed});
  s.of(2, 0, {sent});  // received, and not looked at again
  const auto end = s.of(2, 0, {first, s.lineage.input(2, 0)});
  expect_fault(s.lineage.fault(end, kAll), {2, 5}, "row 0 of rank 1 comes no further than OP");
}

/// A rank has added, and sends on what it had before.
TEST(Lineage, MissingThatWasAddedInVain_IsWhereItEnds) {
  Sweeps s;
  const auto received = s.of(1, 0, {s.of(0, 0, {s.lineage.input(0, 0)})});
  s.of(1, 0, {received, s.lineage.input(1, 0)});
  const auto end = s.of(2, 0, {s.of(1, 0, {received}), s.lineage.input(2, 0)});
  expect_fault(s.lineage.fault(end, kAll), {1, 2}, "row 0 of rank 1 comes no further than OP");
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
