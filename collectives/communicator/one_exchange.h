#pragma once

// Calls in which every rank tells its peers something at once, and that is all: what they are to
// OneShotRunner.

#include <cstddef>
#include <optional>
#include <vector>

#include "collectives/algorithms/registry.h"
#include "collectives/communicator/call_arguments.h"
#include "collectives/execute/host/one_shot_runner.h"

namespace rondo::communicator {

/// Whether `algorithm` is the specification of such an exchange.
bool is_one_exchange(const algorithms::Algorithm& algorithm, const CallArguments& arguments);

struct OneExchange {
  std::size_t most_bytes = 0;  ///< that any rank contributes: alike on all ranks
  std::vector<std::size_t> contributed_bytes{};
  std::optional<std::vector<execute::OneShotRunner::Part>> gathered{};
  /// Where it is combined: the elements of each contribution that this rank combines.
  std::size_t combined_count = 0;
  std::size_t combined_offset = 0;  ///< bytes
};

/// Of one rank of `world`.
OneExchange one_exchange(const CallArguments& arguments, int rank, int world);

}  // namespace rondo::communicator
