// The block-level primitives on blocks of the host's threads, against plain loops; and the kernels
// that docs/kernel-primitives.md is about.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/device/primitives/compute.h"
#include "core/device/primitives/data_mover.h"
#include "core/device/primitives/examples.h"
#include "core/device/primitives/functors.h"
#include "core/device/primitives/host_block.h"

namespace rondo::primitives {
namespace {

std::vector<float> numbers(std::size_t count, float scale = 0.37F) {
  std::vector<float> data(count);
  for (std::size_t i = 0; i < count; ++i)
    data[i] = scale * static_cast<float>(static_cast<int>(i * 7 % 23) - 11);
  return data;
}

TEST(DataMover, WholeTile_EachThreadHasItsNeighbours) {
  alignas(16) std::array<float, 8 * 4> source;
  std::iota(source.begin(), source.end(), 0.5F);
  alignas(16) std::array<double, 8 * 4> target{};
  run_independent(1, 8, [&](const HostBlock& block) {
    double registers[4];
    read_data<4, false>(block, registers, source.data());
    EXPECT_EQ(registers[1], static_cast<double>(source[block.thread() * 4 + 1]));
    write_data<4, false>(block, target.data(), registers);
  });
  for (std::size_t i = 0; i < source.size(); ++i) EXPECT_EQ(target[i], source[i]);
}

TEST(DataMover, BoundaryTile_LeavesWhatIsBehindAlone) {
  const std::vector<float> source = numbers(32);
  std::vector<float> target(32, -1);
  run_independent(1, 8, [&](const HostBlock& block) {
    float registers[4];
    init<4>(registers, 9.0F);
    read_data<4, true>(block, registers, source.data(), 21);
    if (block.thread() == 5) {
      EXPECT_EQ(registers[0], source[20]);
      EXPECT_EQ(registers[1], 9.0F) << "past the end: as it was";
    }
    write_data<4, true>(block, target.data(), registers, 21);
  });
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(target[i], i < 21 ? source[i] : -1.0F) << i;
}

TEST(DataMover, Strided_TakesColumnsAndRowsOfTheWhole) {
  const std::vector<float> whole = numbers(10 * 12);  // 10 rows of 12
  run_independent(1, 4, [&](const HostBlock& block) {
    float registers[2 * 3];
    init<6>(registers, 0.0F);
    read_strided<2, 3>(block, registers, whole.data(), 7, 2, 1, 12);
    for (unsigned int y = 0; y < 3; ++y) {
      for (unsigned int x = 0; x < 2; ++x) {
        const unsigned int column = block.thread() + 4 * x;
        const float want = y < 2 && column < 7 ? whole[y * 12 + column] : 0.0F;
        EXPECT_EQ(registers[y * 2 + x], want) << y << " " << x;
      }
    }
  });
}

TEST(DataMover, Broadcast_TakesTheElementThatStandsForEach) {
  // [2, 1, 3] for [2, 4, 3]; the last dimension comes first in the map.
  const std::vector<float> small = numbers(6);
  BroadcastMap<3> map;
  map.dimensions = 3;
  const std::array<long long, 3> extents = {3, 4, 2}, strides = {1, 0, 3};
  for (int d = 0; d < 3; ++d) {
    map.extents[d] = extents[static_cast<std::size_t>(d)];
    map.strides[d] = strides[static_cast<std::size_t>(d)];
  }
  std::vector<float> got(24, -1);
  run_independent(3, 4, [&](const HostBlock& block) {
    float registers[2] = {-1, -1};
    const long long start = block.block() * 8;
    read_broadcast<2>(block, registers, small.data(), map, start, 24);
    write_data<2, true>(block, got.data() + start, registers, static_cast<int>(24 - start));
  });
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(got[i], small[i / 12 * 3 + i % 3]) << i;
}

TEST(Compute, Elementwise_AppliesTheFunctorToEach) {
  const float a[3] = {1.5F, -2.0F, 0.25F}, b[3] = {4, 3, 2}, c[3] = {0.5F, 1, 8};
  float out[3];
  elementwise_unary<3>(out, a, Relu());
  EXPECT_THAT(out, testing::ElementsAre(1.5F, 0.0F, 0.25F));
  elementwise_unary<3>(out, a, Exp());
  EXPECT_FLOAT_EQ(out[1], std::exp(-2.0F));
  elementwise_binary<3>(out, a, b, Divide());
  EXPECT_THAT(out, testing::ElementsAre(0.375F, -2.0F / 3, 0.125F));
  elementwise_binary<3>(out, a, b, Subtract());
  EXPECT_THAT(out, testing::ElementsAre(-2.5F, -5.0F, -1.75F));
  elementwise_ternary<3>(out, a, b, c, MultiplyAdd());
  EXPECT_THAT(out, testing::ElementsAre(6.5F, -5.0F, 8.5F));
  const float inputs[2][3] = {{1, 2, 3}, {10, 20, 30}};
  elementwise_any<3>(out, inputs, [](const float* x) { return x[1] - x[0]; });
  EXPECT_THAT(out, testing::ElementsAre(9, 18, 27));
}

TEST(Compute, CycleBinary_CombinesEachRowWithTheOne) {
  const float row[2] = {10, 100}, rows[3 * 2] = {1, 2, 3, 4, 5, 6};
  float out[3 * 2];
  cycle_binary<2, 3>(out, row, rows, Multiply());
  EXPECT_THAT(out, testing::ElementsAre(10, 200, 30, 400, 50, 600));
}

TEST(Compute, ReduceOverABlock_GivesEveryThreadTheSame_InPairsOfNeighbours) {
  constexpr unsigned int kThreads = 16;
  std::array<float, kThreads * 2> in;
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = 0.1F * static_cast<float>(i * i % 13);
  // The order that is documented, as a plain loop.
  std::vector<float> values(kThreads);
  for (std::size_t t = 0; t < kThreads; ++t) values[t] = (0.0F + in[2 * t]) + in[2 * t + 1];
  for (std::size_t step = 1; step < kThreads; step *= 2) {
    for (std::size_t t = 0; t < kThreads; t += 2 * step) values[t] += values[t + step];
  }
  std::array<float, kThreads> got{};
  run_together(1, kThreads, [&](const HostBlock& block) {
    float registers[2], out[1];
    read_data<2, true>(block, registers, in.data(), static_cast<int>(in.size()));
    reduce<2, 1, ReduceMode::kBlock, kThreads>(block, out, registers, Add(), 0.0F);
    got[block.thread()] = out[0];
  });
  EXPECT_THAT(got, testing::Each(values[0]));
}

TEST(Compute, ReduceInAThread_CombinesItsOwnRows) {
  const HostBlock block({}, nullptr);
  const float in[2 * 3] = {3, -1, 2, 7, 5, 6};
  float out[2];
  reduce<3, 2, ReduceMode::kThread>(block, out, in, Maximum(), -1e30F);
  EXPECT_THAT(out, testing::ElementsAre(3, 7));
}

TEST(Examples, ElementwiseAdd_EveryCount_IsTheSum) {
  for (const int count : {1, 31, 64, 65, 200}) {
    const auto n = static_cast<std::size_t>(count);
    const std::vector<float> a = numbers(n), b = numbers(n, 1.13F);
    std::vector<float> out(n + 8, -1);
    run_independent(3, 8, [&](const HostBlock& block) {
      elementwise_add(block, out.data(), a.data(), b.data(), count);
    });
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], i < n ? a[i] + b[i] : -1.0F) << i << " of " << count;
  }
}

TEST(Examples, RowSums_EveryWidth_AreTheSums) {
  for (const int columns : {1, 7, 32, 100}) {
    const auto width = static_cast<std::size_t>(columns);
    const std::vector<float> in = numbers(5 * width);
    std::vector<float> out(5);
    run_together(
        2, 8, [&](const HostBlock& block) { row_sums(block, out.data(), in.data(), 5, columns); });
    for (std::size_t row = 0; row < 5; ++row) {
      double want = 0;
      for (std::size_t i = 0; i < width; ++i) want += in[row * width + i];
      EXPECT_NEAR(out[row], want, 1e-4) << row << " of width " << columns;
    }
  }
}

TEST(Examples, Model_IsTheLayerAndItsSoftmax) {
  constexpr std::size_t kRows = 3, kIn = 10, kOut = 6;
  const std::vector<float> x = numbers(kRows * kIn), w = numbers(kIn * kOut, 0.21F),
                           bias = numbers(kOut, 0.5F);
  std::vector<float> got(kRows * kOut);
  run_together(2, 8, [&](const HostBlock& block) {
    softmax_layer(block, got.data(), {x.data(), w.data(), bias.data(), kRows, kIn, kOut});
  });
  for (std::size_t row = 0; row < kRows; ++row) {
    std::vector<double> z(kOut);
    double total = 0;
    for (std::size_t o = 0; o < kOut; ++o) {
      double value = bias[o];
      for (std::size_t i = 0; i < kIn; ++i) value += double{x[row * kIn + i]} * w[i * kOut + o];
      total += z[o] = std::exp(std::max(value, 0.0));
    }
    for (std::size_t o = 0; o < kOut; ++o)
      EXPECT_NEAR(got[row * kOut + o], z[o] / total, 1e-5) << row << " " << o;
  }
}

}  // namespace
}  // namespace rondo::primitives
