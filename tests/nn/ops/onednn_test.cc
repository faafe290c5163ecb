// oneDNN's kernels against the reference ones, in f32. Both round every operation to 6e-8 of its
// size but add up in another order: the bound is 1.2e-7 for each term of a sum whose terms are at
// most 1. Shapes have every kind of remainder by the vector width.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "nn/ops/gradient.h"
#include "one_op.h"

namespace rondo::nn {
namespace {

constexpr double kRounding = 1.2e-7;

void expect_near(const Named& got, const Named& expected, double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    ASSERT_EQ(got.at(name).dims(), tensor.dims());
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
      ASSERT_NEAR(got.at(name).data<float>()[i], tensor.data<float>()[i], tolerance)
          << name << "[" << i << "] of " << to_string(tensor.dims());
    }
  }
}

void expect_same(const Op& op, const Named& inputs, const std::vector<std::string>& wanted,
                 double tolerance) {
  const Named expected = run_forward(op, inputs, KernelLibrary::kReference);
  expect_near(run_forward(op, inputs, KernelLibrary::kOneDnn), expected, tolerance);
  Named values = inputs;
  values.insert(expected.begin(), expected.end());
  for (const auto& [name, tensor] : expected) {
    values[grad_name(name)] = noise(DataType::kF32, tensor.dims(), 77);
  }
  expect_near(run_backward(op, values, wanted, KernelLibrary::kOneDnn),
              run_backward(op, values, wanted, KernelLibrary::kReference), tolerance);
}

Tensor f32(const Dims& dims, std::uint64_t seed) { return noise(DataType::kF32, dims, seed); }

TEST(OneDnnMul, MatchesReference) {
  const Op op = make_op("mul", {{"X", "x"}, {"Y", "y"}}, {{"Out", "out"}});
  for (const auto& [m, k, n] : std::vector<std::array<std::int64_t, 3>>{
           {1, 1, 1}, {1, 7, 3}, {5, 16, 8}, {17, 33, 15}, {64, 100, 10}}) {
    const double terms = static_cast<double>(std::max({m, k, n}));
    expect_same(op, {{"x", f32({m, k}, 1)}, {"y", f32({k, n}, 2)}}, {"x", "y"}, terms * kRounding);
  }
}

TEST(OneDnnMul, OfFlattenedAxes_MatchesReference) {
  Op op = make_op("mul", {{"X", "x"}, {"Y", "y"}}, {{"Out", "out"}});
  op.attributes["x_num_col_dims"] = std::int64_t{2};
  expect_same(op, {{"x", f32({3, 5, 2, 4}, 1)}, {"y", f32({8, 7}, 2)}}, {"x", "y"}, 15 * kRounding);
}

TEST(OneDnnElementwiseAdd, MatchesReference) {
  for (const std::int64_t axis : {0, 1, 2}) {
    Op op = make_op("elementwise_add", {{"X", "x"}, {"Y", "y"}}, {{"Out", "out"}});
    op.attributes["axis"] = axis;
    const Dims dims = {3, 17, 5};
    expect_same(op, {{"x", f32(dims, 1)}, {"y", f32({dims[static_cast<std::size_t>(axis)]}, 2)}},
                {"x", "y"}, kRounding);
  }
}

TEST(OneDnnRelu, MatchesReferenceExactly) {
  const Op op = make_op("relu", {{"X", "x"}}, {{"Out", "out"}});
  for (const std::int64_t count : {1, 7, 16, 33, 1000}) {
    expect_same(op, {{"x", f32({count}, 1)}}, {"x"}, 0);
  }
}

// oneDNN's vectorised exponential is good to a few units in the last place.
TEST(OneDnnSoftmax, MatchesReference) {
  const Op op = make_op("softmax", {{"X", "x"}}, {{"Out", "out"}});
  for (const Dims& dims : {Dims{1, 1}, Dims{4, 10}, Dims{3, 17}, Dims{2, 3, 33}}) {
    expect_same(op, {{"x", f32(dims, 1)}}, {"x"}, 8 * kRounding);
  }
}

}  // namespace
}  // namespace rondo::nn
