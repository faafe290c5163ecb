#pragma once

// The last call of each collective that was admitted, and its plan. A training loop makes the same
// calls on the same buffers again and again: what was checked once needn't be again, for on the way
// of an 8-byte message the checks take as long as a line takes from core to core.
// Threads: as the place that owns it.

#include <array>

#include "collectives/communicator/call_arguments.h"
#include "collectives/communicator/plan_cache.h"

namespace rondo::communicator {

class RecentCalls {
 public:
  struct Known {
    CallArguments given;  ///< as the caller had them
    CallArguments used;   ///< as they run: used_by
    PreparedPlan* plan = nullptr;
  };

  /// The call of the very same arguments; null where they aren't known. Those of uneven parts, and
  /// reductions that aren't built in, never are.
  const Known* find(const GivenCall& call) const;
  /// Its plan, by what it uses.
  PreparedPlan* find(const CallArguments& used) const;
  void remember(const CallArguments& given, const CallArguments& used, PreparedPlan* plan);

 private:
  std::array<Known, static_cast<std::size_t>(schedule::Collective::kBarrier) + 1> known_{};
};

}  // namespace rondo::communicator
