#include "collectives/kernels/custom.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace rondo::kernels {
namespace {

using Column = std::vector<std::uint32_t>;

/// Tells sides and order: ((a*31 + b)*31 + c).
void append(void* left, const void* right, std::size_t count, DataType dtype, void* context) {
  EXPECT_EQ(dtype, DataType::kU32);
  ASSERT_GT(count, 0U);
  ++*static_cast<int*>(context);
  auto* sum = static_cast<std::uint32_t*>(left);
  const auto* next = static_cast<const std::uint32_t*>(right);
  for (std::size_t i = 0; i < count; ++i) sum[i] = sum[i] * 31 + next[i];
}

std::vector<Column> columns(std::size_t sources, std::size_t count) {
  std::vector<Column> list(sources, Column(count));
  for (std::size_t s = 0; s < sources; ++s) {
    for (std::size_t i = 0; i < count; ++i) {
      list[s][i] = static_cast<std::uint32_t>(s * 1'000'003 + i * 17 + 5);
    }
  }
  return list;
}

Column appended(const std::vector<Column>& sources) {
  Column sum = sources[0];
  for (std::size_t s = 1; s < sources.size(); ++s) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = sum[i] * 31 + sources[s][i];
  }
  return sum;
}

TEST(Custom, AnyCountOfSourcesAndTargets_IsCombinedInOrderAlsoOntoASource) {
  for (const std::size_t sources : {2U, 3U, 5U}) {
    for (const std::size_t count : {0U, 1U, 2047U, 2048U, 2049U, 5000U}) {
      for (std::size_t onto = 0; onto < sources; ++onto) {
        auto data = columns(sources, count);
        const Column want = appended(data);
        Column other(count);
        std::vector<const void*> from;
        for (const Column& column : data) from.push_back(column.data());
        std::vector<void*> to = {data[onto].data(), other.data()};
        int calls = 0;
        const CustomKernel kernel{{.function = append, .context = &calls}, DataType::kU32};
        ASSERT_TRUE(reduce_by(kernel, {.sources = from, .targets = to, .count = count}).ok());
        EXPECT_EQ(data[onto], want) << count << " onto source " << onto << " of " << sources;
        EXPECT_EQ(other, want);
        EXPECT_EQ(calls > 0, count > 0);
      }
    }
  }
}

Status status_of(CustomReduce::Function function) {
  const std::vector<float> a(10), b(10);
  std::vector<float> sum(10);
  const void* from[] = {a.data(), b.data()};
  void* to[] = {sum.data()};
  return reduce_by({{.function = function}, DataType::kF32},
                   {.sources = from, .targets = to, .count = 10});
}

TEST(Custom, WhatItThrows_BecomesTheStatus) {
  const Status ours = status_of([](void*, const void*, std::size_t, DataType, void*) {
    throw Error(ErrorCode::kDataLoss, "bad element");
  });
  EXPECT_EQ(ours.code(), ErrorCode::kDataLoss);
  EXPECT_EQ(ours.message(), "the custom reduction threw: bad element");
  const Status standard = status_of([](void*, const void*, std::size_t, DataType, void*) {
    throw std::range_error("out of range");
  });
  EXPECT_EQ(standard.code(), ErrorCode::kCancelled);
  EXPECT_THAT(standard.message(), testing::HasSubstr("out of range"));
  const Status other = status_of([](void*, const void*, std::size_t, DataType, void*) { throw 7; });
  EXPECT_EQ(other.code(), ErrorCode::kCancelled);
}

}  // namespace
}  // namespace rondo::kernels
