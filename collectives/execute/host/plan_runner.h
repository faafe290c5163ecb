#pragma once

// Runs a plan, again and again: one call at a time, on the thread of its place. Everything it needs
// is made with it; a call allocates nothing, locks nothing and throws nothing.
//
// A rank that has waited a millisecond tells its two neighbours which call it waits in and compares
// theirs: of any two ranks that disagree, some neighbours do, so a mismatch is found even where the
// two calls' schedules share no edge.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/execute/host/lane_runner.h"
#include "collectives/execute/host/plan.h"
#include "collectives/execute/host/send_queue.h"
#include "collectives/execute/host/waiter.h"
#include "transport/endpoint/call.h"

namespace rondo::execute {

struct RunContext {
  int rank = 0;
  Waiter* waiter = nullptr;
  std::span<transport::Endpoint* const> neighbours;  ///< ranks r-1 and r+1
  std::int64_t timeout_ms = 0;
};

class PlanRunner {
 public:
  explicit PlanRunner(const Plan& plan);

  /// Errors: Mismatch, PeerLost, Timeout (each names the culprit and the op), or what a peer gave
  /// up with. After an error the contents of the output are undefined.
  Status run(const transport::Call& call, std::byte* input, std::byte* output,
             const RunContext& context);

 private:
  Result<bool> step();
  bool finished() const;
  Status verdict() const;
  Status drive(const transport::Call& call, const RunContext& context);
  Status compare_with_neighbours(const transport::Call& call, const RunContext& context);
  Status timed_out(const transport::Call& call, const RunContext& context) const;
  std::string where(const RunContext& context) const;
  int waits_for() const;

  const Plan& plan_;
  std::vector<LaneRunner> lanes_;
  std::vector<SendQueue> senders_;
  std::int64_t next_comparison_us_ = 0;
};

}  // namespace rondo::execute
