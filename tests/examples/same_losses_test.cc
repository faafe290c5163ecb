// The promise of data-parallel training: the model sees the same global batches however many ranks
// share them, so every step's loss is the same, but for rounding.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <vector>

#include "tests/examples/digits_like_file.h"
#include "tests/examples/shell.h"
#include "tests/nn/data/data_files.h"

namespace rondo::examples {
namespace {

constexpr std::size_t kSteps = 60;

class SameLosses : public testing::Test {
 protected:
  void SetUp() override { write_digits_like_file(data_); }

  /// Runs `command` and returns the losses that it wrote.
  std::vector<double> losses_of(const std::string& command) {
    const Outcome outcome = shell(command);
    EXPECT_EQ(outcome.exit_code, 0) << command << "\n" << outcome.output;
    std::istringstream text(nn::read_plain(losses_));
    std::filesystem::remove(losses_);
    std::vector<double> losses;
    for (double loss = 0; text >> loss;) losses.push_back(loss);
    EXPECT_EQ(losses.size(), kSteps) << command << "\n" << outcome.output;
    losses.resize(kSteps, std::nan(""));
    return losses;
  }

  /// Batches of 30: shares of 10 for three ranks, of 7 and 8 for four.
  std::string arguments(const std::string& more) const {
    return "--data " + data_ + " --batch 30 --steps " + std::to_string(kSteps) + " --loss-file " +
           losses_ + " " + more;
  }

  static void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                          double relative, const std::string& what) {
    for (std::size_t step = 0; step < kSteps; ++step) {
      ASSERT_NEAR(found[step], expected[step], relative * expected[step])
          << what << ", step " << step;
    }
  }

  nn::TemporaryFolder folder_;
  std::string data_ = folder_.file("digits.csv.gz");
  std::string losses_ = folder_.file("losses");
};

TEST_F(SameLosses, F64_OneToFourRanks_AgreeToRounding) {
  const std::string f64 = arguments("--precision f64");
  const std::vector<double> expected = losses_of(alone(f64));
  EXPECT_LT(expected.back(), 0.5 * expected.front()) << "it learns";
  for (int ranks = 2; ranks <= 4; ++ranks) {
    expect_near(losses_of(by_rondo_run(ranks, f64)), expected, 1e-11,
                std::to_string(ranks) + " ranks");
  }
}

TEST_F(SameLosses, F64_PlacesOfOneProcess_AgreeWithProcesses) {
  const std::string f64 = arguments("--precision f64 ");
  const std::vector<double> expected = losses_of(by_rondo_run(4, f64));
  expect_near(losses_of(alone(f64 + "--places 4")), expected, 1e-11, "4 places");
  expect_near(losses_of(by_rondo_run(2, f64 + "--places 2")), expected, 1e-11, "2 x 2 places");
}

TEST_F(SameLosses, F32_FourRanks_StayNearF64) {
  const std::vector<double> expected = losses_of(alone(arguments("--precision f64")));
  expect_near(losses_of(by_rondo_run(4, arguments("--precision f32"))), expected, 2e-3, "f32");
  expect_near(losses_of(alone(arguments("--precision f32 --kernels reference"))), expected, 2e-3,
              "f32 reference");
}

TEST_F(SameLosses, TwoRunsOfOneSeed_AreEqualBitByBit) {
  const std::string command = by_rondo_run(3, arguments("--seed 5"));
  const std::vector<double> first = losses_of(command);
  EXPECT_EQ(losses_of(command), first);
  EXPECT_NE(losses_of(by_rondo_run(3, arguments("--seed 6"))), first);
}

TEST_F(SameLosses, Tcp_EqualsSharedMemory) {
  const std::string command = by_rondo_run(4, arguments("--precision f64"));
  expect_near(losses_of("RONDO_TRANSPORT=tcp " + command), losses_of(command), 1e-11, "tcp");
}

}  // namespace
}  // namespace rondo::examples
