#pragma once

// Proves every built-in algorithm at a range of world sizes: plain and fused, both channel models,
// in place and out of place, every root in small worlds; that those which are said to keep the
// ranks' order do. Of large worlds as much as `coverage` says.

#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/schedule/op.h"
#include "core/status.h"
#include "rondo/schedules.h"

namespace rondo::verify {

struct AlgorithmCount {
  std::string_view name;
  schedule::Collective collective = schedule::Collective::kAllReduce;
  std::uint64_t worlds = 0;
  std::uint64_t schedules = 0;      ///< worlds of schedules: per size, root, rows, plain or fused
  std::uint64_t sweeps = 0;         ///< over all channel models
  std::uint64_t direct_stores = 0;  ///< messages proved to be storable straight
  std::uint32_t least_credits = 1;
};

/// World sizes first..last. Errors: InvalidArgument with algorithm, world, rank, sweep and row.
Result<std::vector<AlgorithmCount>> verify_built_in(int first_world, int last_world,
                                                    Coverage coverage);

}  // namespace rondo::verify
