#include "rondo/nn/read_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "tests/nn/data/data_files.h"

namespace rondo::nn {
namespace {

using testing::HasSubstr;

/// 0, 1, 2, ... without end; counts what was asked of it.
Reader<int> endless(std::atomic<int>& asked) {
  return [&asked] { return Stream<int>([&asked]() -> std::optional<int> { return asked++; }); };
}

TEST(Buffered, ManySamples_ArriveInOrder) {
  std::atomic<int> asked = 0;
  const Reader<int> reader = buffered(firstn(endless(asked), 5000), 3);
  Stream<int> stream = reader();
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(stream(), i);
  EXPECT_FALSE(stream().has_value());
  EXPECT_FALSE(stream().has_value());
}

TEST(Buffered, SlowConsumer_HoldsTheReaderBack) {
  std::atomic<int> asked = 0;
  Stream<int> stream = buffered(endless(asked), 4)();
  for (int i = 0; i < 10; ++i) stream();
  // 10 taken, 4 in the queue, at most one in the producer's hand.
  for (int i = 0; i < 1000; ++i) {
    std::this_thread::yield();
    ASSERT_LE(asked.load(), 15);
  }
}

TEST(Buffered, AbandonedStream_EndsItsThread) {
  std::atomic<int> asked = 0;
  { Stream<int> stream = buffered(endless(asked), 2)(); }
  const int after = asked.load();
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  EXPECT_EQ(asked.load(), after);
}

TEST(Buffered, ReaderThrows_AfterTheSamplesBeforeIt) {
  const Reader<int> failing = [] {
    return Stream<int>([next = 0]() mutable -> std::optional<int> {
      if (next == 2) throw Error(ErrorCode::kDataLoss, "line 3 is damaged");
      return next++;
    });
  };
  Stream<int> stream = buffered(failing, 10)();
  EXPECT_EQ(stream(), 0);
  EXPECT_EQ(stream(), 1);
  EXPECT_THAT(error_of([&] { stream(); }), HasSubstr("line 3 is damaged"));
}

TEST(Buffered, NoRoom_IsRefused) {
  EXPECT_THAT(error_of([] { buffered(read_all(std::vector<int>{1}), 0); }),
              HasSubstr("buffered: a size of 1 or more expected, found 0"));
}

}  // namespace
}  // namespace rondo::nn
