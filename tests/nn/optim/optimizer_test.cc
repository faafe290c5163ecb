#include "rondo/nn/optimizer.h"

#include <gtest/gtest.h>

#include "rondo/nn/executor.h"
#include "rondo/nn/layers.h"

namespace rondo::nn {
namespace {

// loss = mean over [1] of x * w, in f64, so that d loss / d w = x.
struct OneWeight {
  Program main;
  Program startup;
  Scope scope;
  Executor executor;
  Var loss;

  explicit OneWeight(double rate_factor = 1.0) {
    const ProgramGuard guard(main, startup);
    FcOptions options;
    options.weight = {
        .name = "w", .initializer = Initializer::constant(1), .learning_rate = rate_factor};
    options.with_bias = false;
    loss = mean(fc(data("x", {1}, {.dtype = DataType::kF64}), 1, options));
  }
  std::vector<ParamGrad> minimize(Optimizer& optimizer) {
    const ProgramGuard guard(main, startup);
    auto pairs = optimizer.minimize(loss);
    executor.run(startup, {}, {}, scope);
    return pairs;
  }
  double step(double x) {
    executor.run(main, {{"x", Tensor::from<double>({x}, {1, 1})}}, {}, scope);
    return scope.value("w").data<double>()[0];
  }
};

TEST(Sgd, StepsMatchHandComputedNumbers) {
  OneWeight net;
  SGD sgd(0.5);
  const auto pairs = net.minimize(sgd);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].param.name(), "w");
  EXPECT_EQ(net.step(3), -0.5);  // 1 - 0.5 * 3
  EXPECT_EQ(net.step(-2), 0.5);  // -0.5 + 0.5 * 2
}

TEST(Momentum_Optimizer, StepsMatchHandComputedNumbers) {
  OneWeight net;
  Momentum momentum(0.5, 0.25);
  net.minimize(momentum);
  EXPECT_EQ(net.step(4), -1.0);    // v = 4;         1 - 2
  EXPECT_EQ(net.step(2), -2.5);    // v = 1 + 2 = 3; -1 - 1.5
  EXPECT_EQ(net.step(0), -2.875);  // v = 0.75;      -2.5 - 0.375
  EXPECT_EQ(net.scope.value("w_velocity_0").data<double>()[0], 0.75);
}

TEST(Momentum_Optimizer, WithNesterov_StepsMatchHandComputedNumbers) {
  OneWeight net;
  Momentum momentum(0.5, 0.25, true);
  net.minimize(momentum);
  EXPECT_EQ(net.step(4), -1.5);  // v = 4; 1 - 0.5 * (4 + 1)
}

TEST(Optimizer, LearningRateCanBeChangedBetweenRuns) {
  OneWeight net;
  SGD sgd(0.5);
  net.minimize(sgd);
  EXPECT_EQ(sgd.learning_rate().name(), "learning_rate_0");
  net.scope.assign(sgd.learning_rate(), Tensor::from<double>({0.25}, {1}));
  EXPECT_EQ(net.step(4), 0.0);
  EXPECT_EQ(net.executor.stats().programs_compiled, 2U);  // startup and main, once each
}

TEST(Optimizer, ParametersOwnRateIsAFactor) {
  OneWeight net(0.5);
  SGD sgd(0.5);
  net.minimize(sgd);
  EXPECT_EQ(net.step(4), 0.0);  // 1 - 0.5 * 0.5 * 4
}

TEST(Optimizer, UpdatesStandBehindBackward) {
  OneWeight net;
  SGD sgd(0.5);
  net.minimize(sgd);
  const auto& ops = net.main.global_block().ops();
  OpRole last = OpRole::kForward;
  for (const Op& op : ops) {
    EXPECT_GE(op.role, last) << op.to_string();
    last = op.role;
  }
  EXPECT_EQ(ops.back().type, "sgd");
  EXPECT_EQ(ops.back().role_vars, (std::vector<std::string>{"w", "w@GRAD"}));
}

TEST(Optimizer, StateIsPersistableAndSetByTheStartupProgram) {
  OneWeight net;
  Momentum momentum(0.5, 0.25);
  net.minimize(momentum);
  for (const char* name : {"learning_rate_0", "w_velocity_0"}) {
    EXPECT_TRUE(net.main.global_block().var(name).persistable());
    EXPECT_FALSE(net.main.global_block().var(name).is_parameter());
    EXPECT_NE(net.startup.global_block().find_desc(name), nullptr);
  }
}

}  // namespace
}  // namespace rondo::nn
