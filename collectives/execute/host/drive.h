#pragma once

// The loop that carries one call to its end: steps, and how to wait where nothing moves.
//
// A rank that has waited a millisecond tells its two neighbours which call it waits in and compares
// theirs: of any two ranks that disagree, some neighbours do, so a mismatch is found even where the
// two calls' schedules share no edge.

#include <cstddef>
#include <cstdint>
#include <span>

#include "collectives/execute/host/waiter.h"
#include "core/status.h"
#include "transport/endpoint/call.h"
#include "transport/endpoint/endpoint.h"

namespace rondo::execute {

struct RunContext {
  int rank = 0;
  Waiter* waiter = nullptr;
  std::span<transport::Endpoint* const> neighbours;  ///< ranks r-1 and r+1
  std::int64_t timeout_ms = 0;
};

/// OK unless `peer` is known to have called something else as this rank's `call`.
/// Errors: Mismatch.
Status compare_calls(int rank, const transport::Call& call, transport::Endpoint& peer);

/// Runs calls of one kind, again and again: one at a time, on the thread of its place. Everything
/// it needs is made with it; a call allocates nothing, locks nothing and throws nothing.
class Runner {
 public:
  virtual ~Runner() = default;

  /// begin, then steps until finished, then end.
  /// Errors: Mismatch, PeerLost, Timeout (each names the culprit), or what a peer gave up with.
  /// After an error the contents of the output are undefined.
  Status run(const transport::Call& call, std::byte* input, std::byte* output,
             const RunContext& context);

 protected:
  /// Tells the endpoints of the call; moves nothing yet.
  virtual void begin(const transport::Call& call, std::byte* input, std::byte* output) = 0;
  /// Ends what was begun, well (`status` is OK: the runner has finished) or not. What came of it:
  /// an error of this rank's own says where it was.
  virtual Status end(Status status, int rank) = 0;
  /// Does what can be done now; true if anything moved.
  virtual Result<bool> step() = 0;
  virtual bool finished() const = 0;
  /// The rank that the call can't go on without, or kNoCulprit.
  virtual int waits_for() const = 0;

 private:
  Status drive(const transport::Call& call, const RunContext& context);
  Status compare_with_neighbours(const transport::Call& call, const RunContext& context);
  Status timed_out(const transport::Call& call, const RunContext& context) const;
};

}  // namespace rondo::execute
