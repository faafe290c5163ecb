#pragma once

// Which calls the tests of late streams make of each built-in algorithm: several seeds of delays
// for each, of worlds of 3 and 4 ranks, roots, types, in place or not and inputs that a stream
// writes in turn: 500 of each algorithm. Sanitizers' builds make 8, of which RONDO_TEST_TURN=N has
// the N-th lot, by turns (CI gives it the commit's number), and RONDO_TEST_ALL (`scripts/test
// --all`) all. RONDO_TEST_SEED=N makes the call of that seed alone, which a failure names.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "core/device/driver.h"
#include "tests/collectives/execute/device/built_in_call.h"
#include "tests/collectives/execute/device/late_rank.h"

namespace rondo::execute {

/// Where the ranks of a world are.
enum class LateWay : std::uint8_t {
  kPlacesOfOneHost,
  kPlacesOfTwoHosts,
  kProcessesOfOneHost,
  kProcessesOfTwoHosts
};

struct LateCall {
  std::shared_ptr<const BuiltInCall> call;
  std::vector<Floats> expected;  ///< by rank: the host's
  int seed = 0;
  LateRank::Manner manner{};

  /// What a failure says of it.
  std::string text() const;
};

/// Of all collectives that devices carry out: a barrier is the hosts'.
std::vector<const algorithms::Algorithm*> algorithms_of_devices();
/// "all_reduce_ring".
std::string name_of(const testing::TestParamInfo<const algorithms::Algorithm*>& parameter);

/// 3 and 4 ranks.
std::vector<schedule::SharedLayout> layouts_of(LateWay way);
/// Where a seed is asked for that others have; else empty.
std::string why_skipped(const algorithms::Algorithm& algorithm, LateWay way);
std::vector<LateCall> late_calls(const algorithms::Algorithm& algorithm, LateWay way,
                                 const schedule::SharedLayout& layout);
/// Devices whose streams are late as the seed says; each process has others.
std::unique_ptr<device::DeviceDriver> late_driver(int seed, int process);

/// The result of one rank, compared with the host's bits. Failures are gtest's.
void check(const LateCall& call, int rank, const Result<Floats>& result);

}  // namespace rondo::execute
