// A thousand steps of gradients that are combined by reduce_scatter in a wire format: with error
// feedback the sum of what comes is off by no more than the last losses, without it by more at each
// step.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/collectives/communicator/gradients.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

constexpr int kWorld = Gradients::kWorld;
constexpr int kSteps = 1000;

/// Averages of gradients, step by step, and how far their sum is from the exact one.
class Averages {
 public:
  Averages(unsigned seed, std::size_t part) : gradient_(seed), error_(part, 0) {}
  /// Of parts of these sizes.
  Averages(unsigned seed, std::vector<std::size_t> counts, int rank)
      : gradient_(seed),
        error_(counts[static_cast<std::size_t>(rank)], 0),
        counts_(std::move(counts)) {}

  /// `input` has room for all ranks' parts, `output` for one.
  void step(Communicator& rank, int number, std::vector<float>& input, std::vector<float>& output) {
    const std::size_t own = error_.size();
    const auto before = static_cast<std::ptrdiff_t>(rank.rank());
    const std::size_t first =
        counts_.empty()
            ? own * static_cast<std::size_t>(rank.rank())
            : std::accumulate(counts_.begin(), counts_.begin() + before, std::size_t{0});
    const std::size_t whole = counts_.empty()
                                  ? own * kWorld
                                  : std::accumulate(counts_.begin(), counts_.end(), std::size_t{0});
    for (std::size_t i = 0; i < whole; ++i) input[i] = gradient_(rank.rank(), number, i);
    if (counts_.empty()) {
      rank.reduce_scatter({input.data(), whole}, {output.data(), own}, ReduceOp::kAvg);
    } else {
      rank.reduce_scatter_v({input.data(), whole}, {output.data(), own}, counts_, ReduceOp::kAvg);
    }
    for (std::size_t i = 0; i < own; ++i) {
      double sum = 0;
      for (int peer = 0; peer < kWorld; ++peer) sum += double{gradient_(peer, number, first + i)};
      error_[i] += double{output[i]} - sum / kWorld;
    }
  }
  double error() const {
    double most = 0;
    for (const double error : error_) most = std::max(most, std::abs(error));
    return most;
  }

 private:
  Gradients gradient_;
  std::vector<double> error_;          ///< of this rank's part
  std::vector<std::size_t> counts_{};  ///< none: all parts are as large
};

struct Case {
  std::string format;
  std::string algorithm;
  double unit = 0;  ///< the most that one rounding takes, of a block's largest element
  std::string feedback = "auto";

  /// At most one rounding of each of two messages is owed in the end, which bring the sum of two
  /// gradients at most, to an average of three.
  double bound() const { return 2 * unit * 2 * Gradients::kLargest / kWorld; }
  World world(const std::string& error_feedback) const {
    return {.size = kWorld,
            .transport = "tcp",
            .algorithm = algorithm,
            .wire_format = format,
            .error_feedback = error_feedback};
  }
};

class ScatterDrift : public ::testing::TestWithParam<Case> {
 protected:
  /// Of all ranks.
  static double drift(const std::string& feedback) {
    constexpr std::size_t kPart = Gradients::kCount / kWorld;
    std::vector<double> errors(kWorld);
    spawn(GetParam().world(feedback), [&](Communicator& rank) {
      Averages averages(5, kPart);
      std::vector<float> input(kPart * kWorld);
      std::vector<float> output(kPart);
      for (int number = 0; number < kSteps; ++number) averages.step(rank, number, input, output);
      EXPECT_EQ(rank.last_call().wire_format, GetParam().format);
      errors[static_cast<std::size_t>(rank.rank())] = averages.error();
    });
    return *std::max_element(errors.begin(), errors.end());
  }
};

TEST_P(ScatterDrift, ThousandSteps_WithFeedbackStayWithinTheLastLosses) {
  const double bound = GetParam().bound();
  const double with = drift(GetParam().feedback);
  const double without = drift("off");
  EXPECT_LE(with, bound);
  EXPECT_GT(without, 3 * bound);
  std::printf("drift of %s, %s: %.3g with feedback, %.3g without, bound %.3g\n",
              GetParam().format.c_str(), GetParam().algorithm.c_str(), with, without, bound);
}

// What one of them loses would be made up for in another's sum.
TEST_P(ScatterDrift, BuffersAndCountsByTurns_KeepTheirLossesApart) {
  constexpr std::size_t kPart = 200;
  constexpr std::size_t kSmallPart = 96;
  spawn(GetParam().world("on"), [&](Communicator& rank) {
    Averages one(5, kPart);
    Averages other(6, kPart);
    Averages small(7, kSmallPart);
    std::vector<float> input(kPart * kWorld);
    std::vector<float> other_input(kPart * kWorld);
    std::vector<float> output(kPart);
    for (int number = 0; number < kSteps; ++number) {
      one.step(rank, number, input, output);
      other.step(rank, number, other_input, output);
      small.step(rank, number, input, output);
    }
    for (const Averages* averages : {&one, &other, &small})
      EXPECT_LE(averages->error(), GetParam().bound());
  });
}

// What is multiplied first lies in one copy for all of a communicator's buffers.
TEST_P(ScatterDrift, PremultipliedBuffersByTurns_KeepTheirLossesApart) {
  constexpr std::size_t kPart = 96;
  spawn(GetParam().world("on"), [&](Communicator& rank) {
    std::vector<float> input(kPart * kWorld);
    std::vector<float> zeros(kPart * kWorld, 0.0F);
    std::vector<float> output(kPart);
    for (int number = 0; number < 10; ++number) {
      for (std::size_t i = 0; i < input.size(); ++i)
        input[i] = 0.1F * static_cast<float>(i + 1) / static_cast<float>(1 + rank.rank());
      rank.reduce_scatter({input.data(), input.size()}, {output.data(), kPart},
                          Reduction::premultiplied_sum(0.5));
      rank.reduce_scatter({zeros.data(), zeros.size()}, {output.data(), kPart},
                          Reduction::premultiplied_sum(0.5));
      EXPECT_EQ(output, std::vector<float>(kPart, 0.0F));
    }
  });
}

// A loop over the tensors of a model, each shared out by sizes of its own.
TEST_P(ScatterDrift, PartsOfManySizesByTurns_KeepTheirLosses) {
  constexpr std::size_t kTensors = 12;
  constexpr std::size_t kPart = 100;
  spawn(GetParam().world("on"), [&](Communicator& rank) {
    std::vector<Averages> tensors;
    for (std::size_t k = 0; k < kTensors; ++k)
      tensors.emplace_back(5 + k, std::vector{kPart + 3 * k, kPart - k, kPart + k}, rank.rank());
    std::vector<float> input(4 * kPart);
    std::vector<float> output(2 * kPart);
    for (int number = 0; number < kSteps / 2; ++number)
      for (Averages& tensor : tensors) tensor.step(rank, number, input, output);
    for (const Averages& tensor : tensors) EXPECT_LE(tensor.error(), GetParam().bound());
  });
}

INSTANTIATE_TEST_SUITE_P(
    Formats, ScatterDrift,
    ::testing::Values(Case{"int8", "ring", 1.0 / 127}, Case{"int8", "pat", 1.0 / 127},
                      Case{"f8e4m3", "direct", 0x1p-4}, Case{"f8e5m2", "ring", 0x1p-3},
                      Case{"bf16", "ring", 0x1p-8, "on"}, Case{"f16", "direct", 0x1p-11, "on"}),
    [](const auto& one) { return one.param.format + "_" + one.param.algorithm; });

}  // namespace
}  // namespace rondo::testing
