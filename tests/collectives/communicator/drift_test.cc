// A thousand steps of SGD with gradients averaged in a wire format: with error feedback what was
// lost is made up for, and without it adds up.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/collectives/communicator/gradients.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

constexpr int kWorld = Gradients::kWorld;
constexpr int kSteps = 1000;
constexpr std::size_t kCount = Gradients::kCount;
constexpr double kRate = 0.01;

/// The farthest that a parameter is from the one that exact averages give.
double drift(int size, const std::string& format, const std::string& algorithm,
             const std::string& feedback) {
  // Long enough for what is chosen to be encoded.
  const std::size_t count = algorithm == "auto" ? 8 * kCount : kCount;
  double most = 0;
  const Gradients gradient(5, size);
  const World world{.size = size,
                    .transport = "tcp",
                    .algorithm = algorithm,
                    .wire_format = format,
                    .error_feedback = feedback};
  spawn(world, [&](Communicator& rank) {
    std::vector<double> parameter(count, 0);
    std::vector<double> exact(count, 0);
    std::vector<float> own(count);
    for (int step = 0; step < kSteps; ++step) {
      for (std::size_t i = 0; i < count; ++i) {
        double sum = 0;
        for (int r = 0; r < size; ++r) sum += double{gradient(r, step, i)};
        exact[i] -= kRate * sum / size;
        own[i] = gradient(rank.rank(), step, i);
      }
      rank.all_reduce(Buffer(own.data(), count), ReduceOp::kAvg);
      for (std::size_t i = 0; i < count; ++i) parameter[i] -= kRate * double{own[i]};
    }
    EXPECT_EQ(rank.last_call().wire_format, format) << rank.last_call().algorithm;
    if (rank.rank() != 0) return;
    for (std::size_t i = 0; i < count; ++i)
      most = std::max(most, std::abs(parameter[i] - exact[i]));
  });
  return most;
}

/// Rank 0's averages of some steps; between them, where `beside`, broadcasts of other sizes each.
std::vector<float> averages(bool beside) {
  constexpr std::size_t kOthers = 300;  // more than plans are kept
  std::vector<float> all;
  const Gradients gradient(5);
  const World world{.size = kWorld, .transport = "tcp", .algorithm = "ring", .wire_format = "int8"};
  spawn(world, [&](Communicator& rank) {
    std::vector<float> own(kCount);
    std::vector<float> other(kOthers, 0.5F);
    for (std::size_t step = 0; step < kOthers; ++step) {
      for (std::size_t i = 0; i < kCount; ++i)
        own[i] = gradient(rank.rank(), static_cast<int>(step), i);
      rank.all_reduce(Buffer(own.data(), kCount), ReduceOp::kAvg);
      if (rank.rank() == 0) all.insert(all.end(), own.begin(), own.end());
      if (beside) rank.broadcast(Buffer(other.data(), step + 1), 0);
    }
  });
  return all;
}

struct Case {
  std::string format;
  std::string algorithm;
  double unit = 0;  ///< the most that one rounding takes, of a block's largest element
  std::string feedback = "auto";
  int size = kWorld;
};
class Drift : public ::testing::TestWithParam<Case> {};

TEST_P(Drift, ThousandSteps_WithFeedbackStayWithinTheLastLosses) {
  const Case& c = GetParam();
  // What is owed in the end is at most one rounding of each rank's partial sum and one of the
  // average.
  const double bound = kRate * (c.size + 1) * c.unit * Gradients::kLargest;
  const double with = drift(c.size, c.format, c.algorithm, c.feedback);
  const double without = drift(c.size, c.format, c.algorithm, "off");
  EXPECT_LE(with, bound);
  EXPECT_GT(without, 3 * bound);
  std::printf("drift of %s, %s: %.3g with feedback, %.3g without, bound %.3g\n", c.format.c_str(),
              c.algorithm.c_str(), with, without, bound);
}

/// A plan that is in use all the time isn't forgotten for those of others, with what it owes.
TEST(DriftOfOneCall, BesideThoseOfManySizes_IsAsWithoutThem) {
  EXPECT_EQ(averages(true), averages(false));
}

INSTANTIATE_TEST_SUITE_P(
    Formats, Drift,
    ::testing::Values(Case{"int8", "ring", 1.0 / 127}, Case{"int8", "halving_doubling", 1.0 / 127},
                      Case{"f8e4m3", "direct", 0x1p-4}, Case{"f8e5m2", "ring", 0x1p-3},
                      Case{"bf16", "ring", 0x1p-8, "on"}, Case{"f16", "direct", 0x1p-11, "on"},
                      Case{"int8", "auto", 1.0 / 127, "auto", 2}, Case{"int8", "auto", 1.0 / 127},
                      Case{"int8", "auto", 1.0 / 127, "auto", 4},
                      Case{"f8e5m2", "auto", 0x1p-3, "auto", 4}),
    [](const auto& one) {
      return one.param.format + "_" + one.param.algorithm + "_of_" + std::to_string(one.param.size);
    });

}  // namespace
}  // namespace rondo::testing
