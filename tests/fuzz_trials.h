#pragma once

// Trials of random input: so many, or, where CI asks for it (RONDO_TEST_FUZZ_SECONDS), as many as
// fit into so many seconds. Each run has a seed of its own, and each trial the next one; what a
// failure says, RONDO_TEST_FUZZ_SEED=..., makes the trial that failed the first.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>

namespace rondo {

class FuzzTrials {
 public:
  explicit FuzzTrials(int trials) : trials_(trials) {
    // A crash says nothing more.
    std::printf("%s repeats these trials\n", setting().c_str());
    std::fflush(stdout);
  }

  /// Whether there is to be another trial.
  bool next() {
    told_.reset();
    if (tried_ >= trials_ && std::chrono::steady_clock::now() >= end_) return false;
    if (tried_++ > 0) ++seed_;
    random_.seed(seed_);
    told_.emplace(__FILE__, __LINE__, setting() + " repeats this trial");
    return true;
  }
  /// The trial's.
  std::mt19937& random() { return random_; }

 private:
  static std::chrono::seconds wanted() {
    const char* const seconds = std::getenv("RONDO_TEST_FUZZ_SECONDS");
    return std::chrono::seconds(seconds == nullptr ? 0 : std::atoi(seconds));
  }
  static std::uint32_t first_seed() {
    const char* const seed = std::getenv("RONDO_TEST_FUZZ_SEED");
    if (seed == nullptr) return std::random_device{}();
    return static_cast<std::uint32_t>(std::strtoul(seed, nullptr, 10));
  }
  std::string setting() const { return "RONDO_TEST_FUZZ_SEED=" + std::to_string(seed_); }

  int trials_;
  int tried_ = 0;
  std::uint32_t seed_ = first_seed();
  std::mt19937 random_;
  std::chrono::steady_clock::time_point end_ = std::chrono::steady_clock::now() + wanted();
  std::optional<::testing::ScopedTrace> told_;
};

}  // namespace rondo
