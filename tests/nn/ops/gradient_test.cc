// Every op's backward against central differences of its forward, in f64.
//
// With step h = 1e-6 a central difference of a function of size 1 is off by about h^2 (1e-12, the
// third derivative) plus 1e-16/h (1e-10, rounding); 1e-8 leaves room for sums of some hundred terms
// and for derivatives of size 10, and is far below any wrong term.

#include "nn/ops/gradient.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "one_op.h"

namespace rondo::nn {
namespace {

constexpr double kStep = 1e-6;
constexpr double kTolerance = 1e-8;

// The sum of all results, each element with a weight of its own.
double weighted_sum(const Named& results, const Named& weights) {
  double sum = 0;
  for (const auto& [name, tensor] : results) {
    const double* weight = weights.at(grad_name(name)).data<double>();
    for (std::int64_t i = 0; i < tensor.count(); ++i) sum += tensor.data<double>()[i] * weight[i];
  }
  return sum;
}

void expect_gradient(const Op& op, Named inputs, const std::vector<std::string>& wanted) {
  const auto forward = [&] { return run_forward(op, inputs, KernelLibrary::kReference); };
  const Named results = forward();
  Named weights;
  Named values = inputs;
  for (const auto& [name, tensor] : results) {
    weights[grad_name(name)] = noise(DataType::kF64, tensor.dims(), 99);
    values[name] = tensor;
  }
  values.insert(weights.begin(), weights.end());
  const Named grads = run_backward(op, values, wanted, KernelLibrary::kReference);
  for (const std::string& name : wanted) {
    double* x = inputs.at(name).data<double>();
    const Tensor& grad = grads.at(grad_name(name));
    ASSERT_EQ(grad.dims(), inputs.at(name).dims());
    for (std::int64_t i = 0; i < grad.count(); ++i) {
      const double at = x[i];
      x[i] = at + kStep;
      const double above = weighted_sum(forward(), weights);
      x[i] = at - kStep;
      const double below = weighted_sum(forward(), weights);
      x[i] = at;
      EXPECT_NEAR(grad.data<double>()[i], (above - below) / (2 * kStep), kTolerance)
          << op.type << ": d/d" << name << "[" << i << "]";
    }
  }
}

Tensor f64(const Dims& dims, std::uint64_t seed) { return noise(DataType::kF64, dims, seed); }

TEST(MulGradient, OfMatrices_MatchesDifferences) {
  expect_gradient(make_op("mul", {{"X", "x"}, {"Y", "y"}}, {{"Out", "out"}}),
                  {{"x", f64({3, 4}, 1)}, {"y", f64({4, 5}, 2)}}, {"x", "y"});
}

TEST(MulGradient, OfFlattenedAxes_MatchesDifferences) {
  Op op = make_op("mul", {{"X", "x"}, {"Y", "y"}}, {{"Out", "out"}});
  op.attributes["x_num_col_dims"] = std::int64_t{2};
  expect_gradient(op, {{"x", f64({2, 3, 2, 2}, 1)}, {"y", f64({4, 3}, 2)}}, {"x", "y"});
}

TEST(MulGradient, OfOneInputOnly_LeavesTheOtherOut) {
  const Op op = make_op("mul", {{"X", "x"}, {"Y", "y"}}, {{"Out", "out"}});
  const Named values = {{"x", f64({3, 4}, 1)}, {"y", f64({4, 5}, 2)}, {"out@GRAD", f64({3, 5}, 3)}};
  const Named grads = run_backward(op, values, {"y"}, KernelLibrary::kReference);
  EXPECT_EQ(grads.size(), 1U);
  EXPECT_EQ(grads.count("y@GRAD"), 1U);
}

TEST(ElementwiseAddGradient, OfBias_MatchesDifferences) {
  expect_gradient(make_op("elementwise_add", {{"X", "x"}, {"Y", "y"}}, {{"Out", "out"}}),
                  {{"x", f64({3, 4}, 1)}, {"y", f64({4}, 2)}}, {"x", "y"});
}

TEST(ElementwiseAddGradient, AlongAMiddleAxis_MatchesDifferences) {
  Op op = make_op("elementwise_add", {{"X", "x"}, {"Y", "y"}}, {{"Out", "out"}});
  op.attributes["axis"] = std::int64_t{1};
  expect_gradient(op, {{"x", f64({2, 3, 4}, 1)}, {"y", f64({3}, 2)}}, {"x", "y"});
}

TEST(SumGradient, OfThreeInputs_MatchesDifferences) {
  Op op = make_op("sum", {}, {{"Out", "out"}});
  op.inputs["X"] = {"a", "b", "c"};
  expect_gradient(op, {{"a", f64({2, 3}, 1)}, {"b", f64({2, 3}, 2)}, {"c", f64({2, 3}, 3)}},
                  {"a", "b", "c"});
}

TEST(ScaleGradient, MatchesDifferences) {
  Op op = make_op("scale", {{"X", "x"}}, {{"Out", "out"}});
  op.attributes["scale"] = -2.5;
  expect_gradient(op, {{"x", f64({2, 3}, 1)}}, {"x"});
}

// No value of the noise is within kStep of 0, where relu has no derivative.
TEST(ReluGradient, MatchesDifferences) {
  expect_gradient(make_op("relu", {{"X", "x"}}, {{"Out", "out"}}), {{"x", f64({4, 5}, 1)}}, {"x"});
}

TEST(SoftmaxGradient, MatchesDifferences) {
  expect_gradient(make_op("softmax", {{"X", "x"}}, {{"Out", "out"}}), {{"x", f64({3, 5}, 1)}},
                  {"x"});
}

TEST(CrossEntropyGradient, WithAnIgnoredRow_MatchesDifferences) {
  Tensor probabilities = f64({4, 3}, 1);
  double* p = probabilities.data<double>();
  std::transform(p, p + 12, p, [](double value) { return 0.6 + value / 2; });
  expect_gradient(
      make_op("cross_entropy", {{"X", "x"}, {"Label", "label"}}, {{"Y", "y"}}),
      {{"x", probabilities}, {"label", Tensor::from<std::int64_t>({2, 0, -100, 1}, {4, 1})}},
      {"x"});
}

TEST(MeanGradient, MatchesDifferences) {
  expect_gradient(make_op("mean", {{"X", "x"}}, {{"Out", "out"}}), {{"x", f64({3, 4}, 1)}}, {"x"});
}

}  // namespace
}  // namespace rondo::nn
