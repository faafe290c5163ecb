#pragma once

// What measuring ordinary memory and measuring registered memory have alike: sizes, and how often
// each is timed.

#include <cstddef>
#include <map>
#include <vector>

#include "collectives/communicator/timed_calls.h"
#include "collectives/communicator/timed_samples.h"
#include "core/status.h"

namespace rondo::communicator {

/// Closer where algorithms take other ways: beyond what a bulletin holds.
inline constexpr std::size_t kSizes[] = {64,        1 << 10,   2 << 10,    8 << 10,    32 << 10,
                                         128 << 10, 512 << 10, 2048 << 10, 8192 << 10, 32768 << 10};
/// Those between, where it is close: which of two is faster mustn't hang on an interpolation.
inline constexpr std::size_t kSizesBetween[] = {4 << 10,    16 << 10,   64 << 10,   256 << 10,
                                                1024 << 10, 4096 << 10, 16384 << 10};
/// So many times as long as the fastest take those that are measured there, at most.
inline constexpr double kClose = 1.5;
/// Of calls that take so long one a pass is enough.
inline constexpr double kLongUs = 5'000;

using AlgorithmList = std::vector<const algorithms::Algorithm*>;

std::map<schedule::Collective, AlgorithmList> by_collective();
/// `last_us`: what the fastest took at a size nearby.
int rounds_for(std::size_t bytes, double last_us);
/// The medians of these rounds, which are kept.
Result<std::vector<double>> measure(TimedCalls& calls, std::size_t bytes,
                                    const AlgorithmList& algorithms, int rounds, const Pass& pass,
                                    TimedSamples& samples);

}  // namespace rondo::communicator
