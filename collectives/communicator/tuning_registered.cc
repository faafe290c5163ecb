#include "collectives/communicator/tuning_registered.h"

#include <algorithm>
#include <limits>
#include <set>

#include "collectives/communicator/any_rank.h"
#include "collectives/communicator/tuning_passes.h"

namespace rondo::communicator {
namespace {

using schedule::Collective;

constexpr std::size_t kPasses = 3;
constexpr std::size_t kMostBytes = *std::ranges::max_element(kSizes);

/// With processes of its host. (In one process all memory is alike.)
bool shares_memory(const Place& place) {
  for (int peer = 0; peer < place.size(); ++peer) {
    const transport::Endpoint* const endpoint = place.mesh().endpoint(peer);
    if (endpoint != nullptr && endpoint->kind() == transport::TransportKind::kShm) return true;
  }
  return false;
}

std::set<std::size_t> sizes_of(const TimedCalls& calls, Collective collective) {
  std::set<std::size_t> sizes;
  for (const std::size_t size : kSizes) sizes.insert(calls.bytes_of(collective, size));
  for (const std::size_t size : kSizesBetween) sizes.insert(calls.bytes_of(collective, size));
  return sizes;
}

Status measure_size(TimedCalls& calls, std::size_t bytes, const AlgorithmList& algorithms,
                    const TimedSamples& ordinary, std::size_t pass, TimedSamples& samples) {
  const auto us = [&](const auto* algorithm) { return ordinary.typical(*algorithm, bytes); };
  const double least_us = us(*std::ranges::min_element(algorithms, {}, us));
  if (least_us == std::numeric_limits<double>::infinity()) return {};
  AlgorithmList close;
  for (const algorithms::Algorithm* algorithm : algorithms)
    if (us(algorithm) <= kClose * least_us) close.push_back(algorithm);
  return measure(calls, bytes, close, rounds_for(bytes, least_us), {pass, kPasses}, samples)
      .status();
}

}  // namespace

Result<std::vector<select::MeasuredTimes>> measure_registered(Engine& engine,
                                                              const TimedSamples& ordinary) {
  TimedCalls calls(engine, MemoryKind::kRegistered);
  RONDO_ASSIGN(const bool shares, any_rank(engine, shares_memory(engine.place())));
  if (!shares) return std::vector<select::MeasuredTimes>();
  RONDO_ASSIGN(const bool has_room, calls.reserve(kMostBytes));
  if (!has_room) return std::vector<select::MeasuredTimes>();
  TimedSamples samples;
  for (std::size_t pass = 0; pass < kPasses; ++pass) {
    for (const auto& [collective, algorithms] : by_collective()) {
      if (collective == Collective::kBarrier) continue;
      for (const std::size_t bytes : sizes_of(calls, collective))
        RONDO_TRY(measure_size(calls, bytes, algorithms, ordinary, pass, samples));
    }
  }
  return samples.medians(MemoryKind::kRegistered);
}

}  // namespace rondo::communicator
