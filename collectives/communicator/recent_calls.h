#pragma once

// The last call of each collective that was admitted, and its plan. A training loop makes the same
// calls on the same buffers again and again: what was checked once needn't be again, for on the way
// of an 8-byte message the checks take as long as a line takes from core to core.
// Threads: as the place that owns it.

#include <array>
#include <vector>

#include "collectives/communicator/call_arguments.h"
#include "collectives/communicator/plan_cache.h"

namespace rondo::communicator {

class RecentCalls {
 public:
  struct Known {
    CallArguments given;  ///< as the caller had them, but for the counts
    CallArguments used;   ///< as they run (used_by); its counts are the next two
    std::vector<std::size_t> input_counts;
    std::vector<std::size_t> output_counts;
    PreparedPlan* plan = nullptr;
    bool is_in_place = false;  ///< `given` has its output as its input
    bool is_prompt = false;    ///< see Place::call_promptly
  };

  RecentCalls() = default;
  RecentCalls(const RecentCalls&) = delete;
  RecentCalls& operator=(const RecentCalls&) = delete;

  /// The call of the very same arguments; null where they aren't known. Reductions that aren't
  /// built in never are.
  const Known* find(const GivenCall& call) const;
  /// Its plan, by what it uses.
  PreparedPlan* find(const CallArguments& used) const;
  /// What is borrowed of them may be gone afterwards.
  void remember(const CallArguments& given, const CallArguments& used, PreparedPlan* plan,
                bool is_prompt = false);
  void forget();
  /// The calls of a plan that will be gone.
  void forget(const PreparedPlan& plan);

 private:
  static constexpr std::size_t kCollectives =
      static_cast<std::size_t>(schedule::Collective::kBarrier) + 1;
  /// Of even parts, and behind them of parts with sizes of their own.
  using KnownCalls = std::array<Known, 2 * kCollectives>;
  static std::size_t index_of(schedule::Collective collective, bool uneven) {
    return static_cast<std::size_t>(collective) + (uneven ? kCollectives : 0);
  }

  KnownCalls known_{};
};

}  // namespace rondo::communicator
