#include "nn/parallel/training_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "small_net.h"

namespace rondo::nn {
namespace {

std::size_t seeds_in(const Program& program) {
  std::size_t seeds = 0;
  for (const Op& op : program.global_block().ops()) seeds += op.role == OpRole::kLossGradient;
  return seeds;
}

TEST(TrainingProgram, LosesItsConstantLossGradient_UnlessTheScaleIsOne) {
  SmallNet net;
  SGD sgd(0.1);
  net.minimize(sgd);
  const std::string loss = net.loss.name();
  EXPECT_EQ(seeds_in(*training_program(net.main, loss, GradientScale::kCoeffNumDevice)), 0U);
  EXPECT_EQ(seeds_in(*training_program(net.main, loss, GradientScale::kCustomized)), 0U);
  EXPECT_EQ(seeds_in(*training_program(net.main, loss, GradientScale::kOne)), 1U);
  EXPECT_EQ(seeds_in(net.main), 1U);
}

TEST(TrainingProgram, WithoutBackwardOfThisLoss_IsAnError) {
  SmallNet net;
  const auto scale = GradientScale::kCoeffNumDevice;
  EXPECT_THAT(training_program(net.main, net.loss.name(), scale).status().message(),
              testing::HasSubstr("call minimize"));
  SGD sgd(0.1);
  net.minimize(sgd);
  EXPECT_FALSE(training_program(net.main, net.prediction.name(), scale).ok());
  EXPECT_TRUE(training_program(net.main, "", scale).ok());
}

}  // namespace
}  // namespace rondo::nn
