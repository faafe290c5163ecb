// Reference kernels against numbers worked out by hand, and f32 against f64.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "one_op.h"
#include "rondo/error.h"

namespace rondo::nn {
namespace {

constexpr auto kReference = KernelLibrary::kReference;

TEST(CrossEntropy, OfProbabilities_IsMinusLogOfTheLabels) {
  const Op op = make_op("cross_entropy", {{"X", "x"}, {"Label", "label"}}, {{"Y", "y"}});
  const Named out = run_forward(op,
                                {{"x", Tensor::from<double>({0.5, 0.5, 0.25, 0.75}, {2, 2})},
                                 {"label", Tensor::from<std::int64_t>({0, 1}, {2, 1})}},
                                kReference);
  EXPECT_DOUBLE_EQ(out.at("y").data<double>()[0], std::log(2.0));
  EXPECT_DOUBLE_EQ(out.at("y").data<double>()[1], -std::log(0.75));
}

TEST(CrossEntropy, OfProbabilityZero_IsClippedAndItsGradientFinite) {
  const Op op = make_op("cross_entropy", {{"X", "x"}, {"Label", "label"}}, {{"Y", "y"}});
  Named values = {{"x", Tensor::from<float>({0, 1}, {1, 2})},
                  {"label", Tensor::from<std::int64_t>({0}, {1, 1})}};
  const Named out = run_forward(op, values, kReference);
  EXPECT_NEAR(out.at("y").data<float>()[0], 20 * std::log(10.0), 1e-4);
  values["y@GRAD"] = Tensor::from<float>({1}, {1, 1});
  const Named grads = run_backward(op, values, {"x"}, kReference);
  EXPECT_TRUE(std::isfinite(grads.at("x@GRAD").data<float>()[0]));
  EXPECT_LT(grads.at("x@GRAD").data<float>()[0], 0);
}

TEST(CrossEntropy, IgnoredLabelCostsNothing) {
  Op op = make_op("cross_entropy", {{"X", "x"}, {"Label", "label"}}, {{"Y", "y"}});
  op.attributes["ignore_index"] = std::int64_t{7};
  const Named out = run_forward(op,
                                {{"x", Tensor::from<double>({0.5, 0.5, 0.25, 0.75}, {2, 2})},
                                 {"label", Tensor::from<std::int64_t>({7, 0}, {2, 1})}},
                                kReference);
  EXPECT_EQ(out.at("y").data<double>()[0], 0);
  EXPECT_GT(out.at("y").data<double>()[1], 0);
}

TEST(CrossEntropy, LabelThatIsNoClass_IsAnErrorThatNamesTheRow) {
  const Op op = make_op("cross_entropy", {{"X", "x"}, {"Label", "label"}}, {{"Y", "y"}});
  try {
    run_forward(op,
                {{"x", Tensor::from<double>({0.5, 0.5, 0.25, 0.75}, {2, 2})},
                 {"label", Tensor::from<std::int64_t>({0, 2}, {2, 1})}},
                kReference);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("label 2 in row 1"));
    EXPECT_THAT(error.what(), testing::HasSubstr("op 1/1 cross_entropy"));
  }
}

TEST(Accuracy, CountsRowsWhoseLabelIsAmongTheLargest) {
  Op op = make_op("accuracy", {{"X", "x"}, {"Label", "label"}}, {{"Accuracy", "a"}});
  const Named inputs = {
      {"x", Tensor::from<double>({.1, .2, .7, .5, .5, .0, .3, .3, .4, .6, .3, .1}, {4, 3})},
      {"label", Tensor::from<std::int64_t>({2, 1, 0, 2}, {4, 1})}};
  EXPECT_EQ(run_forward(op, inputs, kReference).at("a").data<double>()[0], 0.25);
  op.attributes["k"] = std::int64_t{2};
  EXPECT_EQ(run_forward(op, inputs, kReference).at("a").data<double>()[0], 0.75);
}

TEST(Accuracy, RowsWithNans_AreNotRight) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Op op = make_op("accuracy", {{"X", "x"}, {"Label", "label"}}, {{"Accuracy", "a"}});
  const Named inputs = {
      {"x", Tensor::from<double>({nan, nan, nan, .9, nan, .1, nan, .9, .1, .1, .2, .7}, {4, 3})},
      {"label", Tensor::from<std::int64_t>({0, 0, 0, 2}, {4, 1})}};
  EXPECT_EQ(run_forward(op, inputs, kReference).at("a").data<double>()[0], 0.25);
}

TEST(Softmax, OfLargeValues_DoesNotOverflow) {
  const Named out = run_forward(make_op("softmax", {{"X", "x"}}, {{"Out", "out"}}),
                                {{"x", Tensor::from<float>({1000, 1000}, {1, 2})}}, kReference);
  EXPECT_EQ(out.at("out").to_vector<float>(), (std::vector<float>{0.5F, 0.5F}));
}

// f32 rounds each of the 17 products and sums of size up to 1 to 6e-8.
TEST(Mul, InF32_IsCloseToF64) {
  const Op op = make_op("mul", {{"X", "x"}, {"Y", "y"}}, {{"Out", "out"}});
  const auto run = [&](DataType dtype) {
    return run_forward(op, {{"x", noise(dtype, {9, 17}, 1)}, {"y", noise(dtype, {17, 5}, 2)}},
                       kReference)
        .at("out");
  };
  const Tensor narrow = run(DataType::kF32);
  const Tensor wide = run(DataType::kF64);
  for (std::int64_t i = 0; i < wide.count(); ++i) {
    EXPECT_NEAR(static_cast<double>(narrow.data<float>()[i]), wide.data<double>()[i], 17 * 1.2e-7);
  }
}

TEST(Momentum, TwoSteps_MatchHandComputedNumbers) {
  Op op;
  op.type = "momentum";
  op.inputs = {{"Param", {"p"}}, {"Grad", {"g"}}, {"Velocity", {"v"}}, {"LearningRate", {"rate"}}};
  op.outputs = {{"ParamOut", {"p2"}}, {"VelocityOut", {"v2"}}};
  op.attributes["mu"] = 0.5;
  Named values = {{"p", Tensor::from<double>({1.0}, {1})},
                  {"g", Tensor::from<double>({2.0}, {1})},
                  {"v", Tensor::from<double>({4.0}, {1})},
                  {"rate", Tensor::from<double>({0.125}, {1})}};
  const Named plain = run_forward(op, values, kReference);
  EXPECT_EQ(plain.at("v2").data<double>()[0], 4.0);  // 0.5 * 4 + 2
  EXPECT_EQ(plain.at("p2").data<double>()[0], 0.5);  // 1 - 0.125 * 4
  op.attributes["use_nesterov"] = true;
  const Named nesterov = run_forward(op, values, kReference);
  EXPECT_EQ(nesterov.at("v2").data<double>()[0], 4.0);
  EXPECT_EQ(nesterov.at("p2").data<double>()[0], 0.5);  // 1 - 0.125 * (2 + 0.5 * 4)
  values["v"] = Tensor::from<double>({8.0}, {1});
  EXPECT_EQ(run_forward(op, values, kReference).at("p2").data<double>()[0], 0.375);
}

}  // namespace
}  // namespace rondo::nn
