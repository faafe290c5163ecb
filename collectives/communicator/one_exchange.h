#pragma once

// Calls in which every rank tells its peers something at once, and that is all: what they are to
// BulletinRunner and OneShotRunner.

#include <cstddef>

#include "collectives/algorithms/registry.h"
#include "collectives/communicator/call_arguments.h"
#include "collectives/execute/host/contributions.h"

namespace rondo::communicator {

/// Whether `algorithm` is the specification of such an exchange.
bool is_one_exchange(const algorithms::Algorithm& algorithm, const CallArguments& arguments);

struct OneExchange {
  std::size_t most_bytes = 0;  ///< that any rank contributes: alike on all ranks
  execute::Contributions::Sizes sizes{};
};

/// Of one rank of `world`.
OneExchange one_exchange(const CallArguments& arguments, int rank, int world);

}  // namespace rondo::communicator
