#include "rondo/nn/backward.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "rondo/error.h"
#include "rondo/nn/executor.h"
#include "rondo/nn/layers.h"

namespace rondo::nn {
namespace {

class Backward : public testing::Test {
 protected:
  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};

  bool has(const std::string& name) { return bool{main_.global_block().find_var(name)}; }

  const Op* writer_of(const std::string& name) const {
    for (const Op& op : main_.global_block().ops()) {
      for (const auto& [slot, names] : op.outputs) {
        if (std::find(names.begin(), names.end(), name) != names.end()) return &op;
      }
    }
    return nullptr;
  }
};

TEST_F(Backward, GradientsAreNamedAfterTheirVariables) {
  const Var loss = mean(fc(data("x", {4}), 2));
  const auto pairs = append_backward(loss);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].param.name(), "fc_0.w_0");
  EXPECT_EQ(pairs[0].grad.name(), "fc_0.w_0@GRAD");
  EXPECT_EQ(pairs[0].grad.dims(), (Dims{4, 2}));
  EXPECT_EQ(pairs[1].grad.name(), "fc_0.b_0@GRAD");
  EXPECT_TRUE(has("mean_0.tmp_0@GRAD"));
  EXPECT_FALSE(has("x@GRAD"));
}

TEST_F(Backward, LossGradientIsAConstantOneWithItsOwnRole) {
  append_backward(mean(fc(data("x", {4}), 2)));
  const Op* seed = writer_of("mean_0.tmp_0@GRAD");
  ASSERT_NE(seed, nullptr);
  EXPECT_EQ(seed->type, "fill_constant");
  EXPECT_EQ(seed->role, OpRole::kLossGradient);
  EXPECT_EQ(seed->attribute<double>("value", 0), 1.0);
}

TEST_F(Backward, ParameterReadTwice_HasPartsAndTheirSum) {
  const Var x = data("x", {3});
  const FcOptions shared = {.weight = {.name = "w"}, .with_bias = false};
  append_backward(mean(sum({fc(x, 3, shared), fc(fc(x, 3, shared), 3, shared)})));
  EXPECT_TRUE(has("w@GRAD@RENAME@0"));
  EXPECT_TRUE(has("w@GRAD@RENAME@1"));
  EXPECT_TRUE(has("w@GRAD@RENAME@2"));
  const Op* joined = writer_of("w@GRAD");
  ASSERT_NE(joined, nullptr);
  EXPECT_EQ(joined->type, "sum");
  EXPECT_EQ(joined->role_vars, (std::vector<std::string>{"w", "w@GRAD"}));
}

TEST_F(Backward, RolePairsStandOnTheOpsThatFinishGradients) {
  const Var hidden = fc(data("x", {4}), 3, {.act = "relu"});
  const auto pairs = append_backward(mean(fc(hidden, 2)));
  for (const ParamGrad& pair : pairs) {
    const auto& vars = writer_of(pair.grad.name())->role_vars;
    EXPECT_NE(std::find(vars.begin(), vars.end(), pair.param.name()), vars.end());
  }
  EXPECT_EQ(pairs.size(), 4U);
}

TEST_F(Backward, StopGradient_PrunesWhatLiesBehind) {
  Var hidden = fc(data("x", {4}), 3, {.act = "relu"});
  hidden.set_stop_gradient(true);
  const auto pairs = append_backward(mean(fc(hidden, 2)));
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].param.name(), "fc_1.w_0");
  EXPECT_FALSE(has("fc_0.w_0@GRAD"));
  EXPECT_FALSE(has("fc_0.tmp_2@GRAD"));
}

TEST_F(Backward, NoGradSetAndFrozenParametersArePruned) {
  const Var hidden = fc(data("x", {4}), 3, {.weight = {.trainable = false}});
  const auto pairs = append_backward(mean(fc(hidden, 2)), {.no_grad = {"fc_1.b_0"}});
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].param.name(), "fc_0.b_0");
  EXPECT_EQ(pairs[1].param.name(), "fc_1.w_0");
}

TEST_F(Backward, ChosenParametersOnly) {
  fc(data("x", {4}), 3);
  const auto pairs =
      append_backward(mean(main_.global_block().var("fc_0.tmp_1")), {.parameters = {"fc_0.b_0"}});
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_FALSE(has("fc_0.w_0@GRAD"));
}

TEST_F(Backward, ParameterThatTheLossDoesNotUse_HasNoGradient) {
  const Var x = data("x", {4});
  fc(x, 3);
  const auto pairs = append_backward(mean(fc(x, 2)));
  EXPECT_EQ(pairs.size(), 2U);
  EXPECT_FALSE(has("fc_0.w_0@GRAD"));
}

TEST_F(Backward, FedVariableThatAsksForIt_GetsAGradient) {
  append_backward(mean(fc(data("x", {4}, {.stop_gradient = false}), 2)));
  EXPECT_TRUE(has("x@GRAD"));
}

TEST_F(Backward, WrongLossesAreRefused) {
  const Var scores = fc(data("x", {4}), 2);
  EXPECT_THROW(append_backward(scores), Error);                // not one number
  EXPECT_THROW(append_backward(mean(data("y", {4}))), Error);  // nothing to train
  EXPECT_THROW(append_backward(Var()), Error);
  const Var loss = mean(scores);
  append_backward(loss);
  EXPECT_THROW(append_backward(loss), Error);  // twice
}

// y = mean(x*w + x*w*w') over shared w: the joined gradient is the true one.
TEST_F(Backward, JoinedGradient_MatchesDifferences) {
  const Var x = data("x", {3}, {.dtype = DataType::kF64});
  const FcOptions shared = {.weight = {.name = "w"}, .with_bias = false};
  const Var loss = mean(sum({fc(x, 3, shared), relu(fc(fc(x, 3, shared), 3, shared))}));
  append_backward(loss);
  startup_.set_random_seed(11);
  Scope scope;
  Executor executor;
  executor.run(startup_, {}, {}, scope);
  const Feed feed = {{"x", Tensor::from<double>({.3, -.7, .9, 1.1, .2, -.4}, {2, 3})}};
  const Tensor grad = executor.run(main_, feed, {"w@GRAD"}, scope)[0];
  double* w = scope.value("w").data<double>();
  const double step = 1e-6;
  for (std::int64_t i = 0; i < grad.count(); ++i) {
    const double at = w[i];
    w[i] = at + step;
    const double above = executor.run(main_, feed, {loss}, scope)[0].data<double>()[0];
    w[i] = at - step;
    const double below = executor.run(main_, feed, {loss}, scope)[0].data<double>()[0];
    w[i] = at;
    // Rounding of the difference, 1e-16 / step, and some room.
    EXPECT_NEAR(grad.data<double>()[i], (above - below) / (2 * step), 1e-8);
  }
}

}  // namespace
}  // namespace rondo::nn
