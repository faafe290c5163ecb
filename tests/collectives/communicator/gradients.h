#pragma once

// Gradients of many steps, whose roundings to a wire format add up where nothing makes up for them.

#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace rondo::testing {

/// Each element has a mean of its own, which its rounding errs about in one direction, and varies
/// by a thousandth.
class Gradients {
 public:
  static constexpr int kWorld = 3;
  static constexpr std::size_t kCount = 1000;
  static constexpr double kLargest = 4.5;  ///< none is larger

  explicit Gradients(unsigned seed, int world = kWorld) : means_(static_cast<std::size_t>(world)) {
    std::mt19937 random(seed);
    std::normal_distribution<float> any(0, 1);
    for (auto& of_rank : means_) {
      for (float& mean : of_rank) mean = any(random);
    }
  }
  float operator()(int rank, int step, std::size_t i) const {
    const float angle = static_cast<float>(step) * 0.7F + static_cast<float>(i);
    return means_[static_cast<std::size_t>(rank)][i % kCount] * (1 + 0.001F * std::sin(angle));
  }

 private:
  std::vector<std::array<float, kCount>> means_;
};

}  // namespace rondo::testing
