#include "rondo/nn/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "tests/nn/data/data_files.h"

namespace rondo::nn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

std::vector<int> numbers(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

template <typename T>
std::vector<T> one_pass(const Reader<T>& reader) {
  std::vector<T> all;
  Stream<T> stream = reader();
  while (std::optional<T> sample = stream()) all.push_back(std::move(*sample));
  EXPECT_FALSE(stream().has_value()) << "a stream that has ended stays ended";
  return all;
}

TEST(Reader, ReadAll_TwoPasses_BothHoldEverythingInOrder) {
  const Reader<int> reader = read_all(numbers(4));
  EXPECT_THAT(one_pass(reader), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(one_pass(reader), ElementsAre(0, 1, 2, 3));
}

TEST(Reader, Shuffle_TwoReadersOfOneSeed_AgreePassByPass) {
  const Reader<int> here = shuffle(read_all(numbers(100)), 1000, 7);
  const Reader<int> there = shuffle(read_all(numbers(100)), 1000, 7);
  std::vector<std::vector<int>> passes;
  for (int pass = 0; pass < 3; ++pass) {
    passes.push_back(one_pass(here));
    EXPECT_EQ(passes.back(), one_pass(there)) << "pass " << pass;
    EXPECT_THAT(passes.back(), UnorderedElementsAreArray(numbers(100)));
  }
  EXPECT_NE(passes[0], passes[1]);
  EXPECT_NE(passes[1], passes[2]);
  EXPECT_NE(passes[0], numbers(100));
}

TEST(Reader, Shuffle_AnotherSeed_GivesAnotherOrder) {
  // The seeds differ in their upper halves only.
  EXPECT_NE(one_pass(shuffle(read_all(numbers(100)), 100, 7)),
            one_pass(shuffle(read_all(numbers(100)), 100, 7 + (std::uint64_t{1} << 32U))));
}

TEST(Reader, Shuffle_KnownSeed_GivesTheOrderOfEveryCompilerAndMachine) {
  // The order itself is part of the promise: ranks on different machines must agree on it.
  EXPECT_THAT(one_pass(shuffle(read_all(numbers(8)), 8, 1)), ElementsAre(7, 1, 6, 2, 3, 4, 5, 0));
}

TEST(Reader, Shuffle_SmallBuffer_KeepsSamplesInTheirWindow) {
  const std::vector<int> order = one_pass(shuffle(read_all(numbers(10)), 4, 3));
  EXPECT_THAT(order, UnorderedElementsAreArray(numbers(10)));
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(order[i]) / 4, i / 4);
  }
}

TEST(Reader, Shuffle_EmptyBuffer_IsRefused) {
  EXPECT_THAT(error_of([] { shuffle(read_all(numbers(3)), 0, 1); }),
              HasSubstr("buffer of 1 or more expected, found 0"));
}

TEST(Reader, Batch_RaggedEnd_IsKeptOrDropped) {
  EXPECT_THAT(one_pass(batch(read_all(numbers(5)), 2, false)),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4)));
  EXPECT_THAT(one_pass(batch(read_all(numbers(5)), 2, true)),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_THAT(one_pass(batch(read_all(numbers(4)), 2, false)),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  EXPECT_THAT(one_pass(batch(read_all(numbers(1)), 2, true)), IsEmpty());
}

TEST(Reader, Batch_OfNothing_IsRefused) {
  EXPECT_THAT(error_of([] { batch(read_all(numbers(3)), 0, true); }),
              HasSubstr("batch: a size of 1 or more expected, found 0"));
}

TEST(Reader, Map_ToAnotherType_ChangesEverySample) {
  const auto text = map(read_all(numbers(3)), [](int n) { return std::to_string(n * 2); });
  EXPECT_THAT(one_pass(text), ElementsAre("0", "2", "4"));
}

TEST(Reader, Chain_WithAnEmptyReader_GoesOnWithTheNext) {
  const std::vector<Reader<int>> parts = {read_all(numbers(2)), read_all(numbers(0)),
                                          read_all(numbers(1))};
  EXPECT_THAT(one_pass(chain(parts)), ElementsAre(0, 1, 0));
  EXPECT_THAT(one_pass(chain(std::vector<Reader<int>>{})), IsEmpty());
}

TEST(Reader, Compose_EqualLengths_GivesTuples) {
  const auto pairs = compose(read_all(numbers(2)), read_all(std::vector<std::string>{"a", "b"}));
  EXPECT_THAT(one_pass(pairs), ElementsAre(std::make_tuple(0, std::string("a")),
                                           std::make_tuple(1, std::string("b"))));
}

TEST(Reader, Compose_OneEndsEarly_IsAnError) {
  const auto pairs = compose(read_all(numbers(2)), read_all(numbers(1)), read_all(numbers(2)));
  Stream<std::tuple<int, int, int>> stream = pairs();
  EXPECT_TRUE(stream().has_value());
  EXPECT_THAT(error_of([&] { stream(); }), HasSubstr("1 of 3 ended before the others"));
}

TEST(Reader, Firstn_MoreAndFewerThanThere_StopsAtEither) {
  EXPECT_THAT(one_pass(firstn(read_all(numbers(5)), 2)), ElementsAre(0, 1));
  EXPECT_THAT(one_pass(firstn(read_all(numbers(2)), 5)), ElementsAre(0, 1));
  EXPECT_THAT(one_pass(firstn(read_all(numbers(2)), 0)), IsEmpty());
}

TEST(Reader, Cache_SecondPass_DoesNotReadAgain) {
  int passes = 0;
  const Reader<int> counted = [&passes]() -> Stream<int> {
    ++passes;
    return read_all(numbers(3))();
  };
  const Reader<int> cached = cache(counted);
  EXPECT_EQ(passes, 0);
  EXPECT_THAT(one_pass(cached), ElementsAre(0, 1, 2));
  EXPECT_THAT(one_pass(cached), ElementsAre(0, 1, 2));
  EXPECT_EQ(passes, 1);
}

TEST(Shard, AnyWorld_PartsAreContiguousWholeAndEvenWithinOne) {
  for (const int count : {0, 1, 3, 4, 5, 64, 127}) {
    for (int world = 1; world <= 9; ++world) {
      const std::vector<int> whole = numbers(count);
      std::vector<int> joined;
      for (int rank = 0; rank < world; ++rank) {
        const std::span<const int> part = shard(whole, rank, world);
        joined.insert(joined.end(), part.begin(), part.end());
        EXPECT_GE(static_cast<int>(part.size()), count / world);
        EXPECT_LE(static_cast<int>(part.size()), (count + world - 1) / world);
      }
      EXPECT_EQ(joined, whole) << count << " over " << world;
    }
  }
}

TEST(Shard, RankOutsideTheWorld_IsRefused) {
  EXPECT_THAT(error_of([] { shard_range(10, 4, 4); }),
              HasSubstr("a rank of 0..3 expected, found 4"));
  EXPECT_THAT(error_of([] { shard_range(10, -1, 4); }), HasSubstr("found -1"));
}

}  // namespace
}  // namespace rondo::nn
