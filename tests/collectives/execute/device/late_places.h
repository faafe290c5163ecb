#pragma once

// Calls of all ranks of a world of places of this process, on devices whose streams are late.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/collectives/execute/device/connected_ranks.h"
#include "tests/collectives/execute/device/late_calls.h"
#include "tests/collectives/execute/device/late_rank.h"

namespace rondo::execute {

/// `inside`: how ranks of one host meet.
inline std::vector<LateRank> connected_places(
    const schedule::SharedLayout& layout,
    transport::TransportKind inside = transport::TransportKind::kInproc) {
  const std::uint64_t job = next_job();
  std::vector<LateRank> ranks;
  std::vector<std::string> addresses;
  for (int rank = 0; rank < layout->world(); ++rank) {
    ranks.emplace_back(inside, layout, job, rank);
    addresses.push_back(ranks.back().addresses());
  }
  each<LateRank>(ranks, [&](LateRank& rank, std::size_t) { rank.connect(addresses); });
  return ranks;
}

/// What each rank ends with, without one of the waits where that is said. Plans are made one after
/// the other, so that a seed gives each stream the same delays again.
inline std::vector<Result<Floats>> run_late(std::vector<LateRank>& ranks, const LateCall& late,
                                            device::DeviceDriver& driver,
                                            std::optional<DeviceWait> left_out = std::nullopt) {
  for (LateRank& rank : ranks) {
    const Status status = rank.bind(*late.call, driver, left_out);
    EXPECT_TRUE(status.ok()) << late.text() << ": " << status.to_string();
  }
  std::vector<Result<Floats>> results(ranks.size(), Floats());
  each<LateRank>(ranks, [&](LateRank& rank, std::size_t i) {
    results[i] = rank.run(*late.call, late.manner);
  });
  for (LateRank& rank : ranks) rank.leave();
  return results;
}

}  // namespace rondo::execute
