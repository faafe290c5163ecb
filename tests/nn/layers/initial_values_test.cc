#include <gtest/gtest.h>

#include <cmath>

#include "rondo/nn/executor.h"
#include "rondo/nn/layers.h"

namespace rondo::nn {
namespace {

// The first values of the parameters of a layer [40 -> 60], of type T.
template <typename T>
std::vector<std::vector<T>> first_values(std::uint64_t seed, const FcOptions& options = {}) {
  Program main;
  Program startup;
  const ProgramGuard guard(main, startup);
  fc(data("x", {40}, {.dtype = data_type_of<T>()}), 60, options);
  startup.set_random_seed(seed);
  Scope scope;
  Executor().run(startup, {}, {}, scope);
  return {scope.value("fc_0.w_0").to_vector<T>(), scope.value("fc_0.b_0").to_vector<T>()};
}

TEST(InitialValues, WeightsAreXavierUniformAndBiasesZero) {
  const auto values = first_values<double>(3);
  const double limit = std::sqrt(6.0 / (40 + 60));
  double largest = 0;
  double squares = 0;
  for (const double w : values[0]) {
    largest = std::max(largest, std::abs(w));
    squares += w * w;
  }
  EXPECT_LE(largest, limit);
  EXPECT_GT(largest, 0.99 * limit);
  // The variance of uniform +-a is a^2/3; 2,400 values estimate it to 2 %.
  EXPECT_NEAR(squares / 2400, limit * limit / 3, 0.1 * limit * limit / 3);
  EXPECT_EQ(values[1], std::vector<double>(60, 0.0));
}

TEST(InitialValues, SameSeed_SameValues_AlsoInAnotherPrecision) {
  const auto wide = first_values<double>(3);
  const auto narrow = first_values<float>(3);
  EXPECT_EQ(first_values<double>(3), wide);
  for (std::size_t i = 0; i < wide[0].size(); ++i) {
    ASSERT_EQ(narrow[0][i], static_cast<float>(wide[0][i]));
  }
}

TEST(InitialValues, OtherSeedsAndSeedZero_GiveOtherValues) {
  EXPECT_NE(first_values<double>(3), first_values<double>(4));
  EXPECT_NE(first_values<double>(0), first_values<double>(0));
}

TEST(InitialValues, FollowTheInitializer) {
  FcOptions options;
  options.weight.initializer = Initializer::normal(5, 0.5);
  options.bias.initializer = Initializer::constant(2.5);
  const auto values = first_values<double>(3, options);
  double sum = 0;
  for (const double w : values[0]) sum += w;
  EXPECT_NEAR(sum / 2400, 5, 5 * 0.5 / std::sqrt(2400.0));
  EXPECT_EQ(values[1], std::vector<double>(60, 2.5));
}

}  // namespace
}  // namespace rondo::nn
