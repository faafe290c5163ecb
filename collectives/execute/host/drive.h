#pragma once

// The loop that carries one call to its end: steps, and how to wait where nothing moves.
//
// A rank that has waited a millisecond tells its two neighbours which call it waits in and compares
// theirs: of any two ranks that disagree, some neighbours do, so a mismatch is found even where the
// two calls' schedules share no edge.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "collectives/execute/host/interruption.h"
#include "collectives/execute/host/waiter.h"
#include "collectives/kernels/custom.h"
#include "core/device/stream.h"
#include "core/status.h"
#include "core/trace/call_timer.h"
#include "transport/endpoint/call.h"
#include "transport/endpoint/endpoint.h"

namespace rondo::execute {

/// What one call is run on.
struct Operands {
  std::byte* input = nullptr;
  std::byte* output = nullptr;
  /// What the caller gave as input, where `input` is a copy; otherwise the same.
  const void* given_input = nullptr;
  /// Combines in place of the plan's kernel, where there is one: the calls of one plan may differ.
  kernels::CustomKernel custom{};
  /// On a device: what its streams wait for before they touch the buffers; null: nothing.
  const detail::EventImpl* ready = nullptr;
  /// The stream that the call is captured in; null: it is made now.
  detail::StreamImpl* capture = nullptr;
  /// Is told what takes the call's time; null: nobody asks.
  trace::CallTimer* timer = nullptr;
};

/// What a place has to do beside a call that waits long.
class Bystander {
 public:
  /// Takes in what peers send that nobody has asked for, as far as it is kept: they may wait for
  /// that, and this rank for them. True if anything came. Errors: those of the endpoints.
  virtual Result<bool> take_unexpected() = 0;
  /// The call has ended: nothing of the peers is touched any more.
  virtual void rest() = 0;

 protected:
  ~Bystander() = default;
};

struct RunContext {
  int rank = 0;
  Waiter* waiter = nullptr;
  std::span<transport::Endpoint* const> neighbours;  ///< ranks r-1 and r+1
  std::int64_t timeout_ms = 0;
  bool is_own_timeout = false;                 ///< the call's, not the communicator's
  Bystander* bystander = nullptr;              ///< null: nobody
  const Interruption* interruption = nullptr;  ///< null: nobody can ask for one
};

/// OK unless `peer` is known to have called something else as this rank's `call`.
/// Errors: Mismatch.
Status compare_calls(int rank, const transport::Call& call, transport::Endpoint& peer);

/// What of a call goes out before anything is noted of it.
enum class HeadStart : char {
  kNone,
  kShort,  ///< nobody sees it before the clock has been read behind it
  kLong,   ///< the call's time begins before it: copies, calls of the system, peers that take turns
};

/// Runs calls of one kind, again and again: one at a time. Everything it needs is made with it; a
/// call allocates nothing, locks nothing and throws nothing (what a custom function throws is
/// caught where it is called).
class Runner : public Sleeper {
 public:
  /// Begins a call, drives it until it is finished, ends it.
  /// Errors: Mismatch, PeerLost, Timeout (each names the culprit), what a custom function threw, or
  /// what a peer gave up with.
  /// After an error the contents of the output are undefined.
  Status run(const transport::Call& call, const Operands& operands, const RunContext& context);

  /// Tells the endpoints of the call; moves nothing yet. Both are borrowed until `end`.
  virtual void begin(const transport::Call& call, const Operands& operands) = 0;
  /// Where calls are short enough for it to matter what is done before their first messages have
  /// gone out, `send_first` is those and `begin`, in whichever order; it needs no timer, and an
  /// error of it is one of the call, which has begun.
  virtual HeadStart head_start() const { return HeadStart::kNone; }
  virtual Status send_first(const transport::Call& call, const Operands& operands) {
    begin(call, operands);
    return {};
  }
  /// Ends what was begun, well (`status` is OK: the runner has finished) or not. What came of it:
  /// an error of this rank's own says where it was.
  virtual Status end(Status status, int rank) = 0;
  /// `step`, and `end` where that has finished it: true, and what came of it in `status`. Else
  /// false, and what `step` said. For calls that mostly wait for nothing but first looks.
  virtual bool end_at_once(Status& status, int rank);
  /// Does what can be done now; true if anything moved.
  virtual Result<bool> step() = 0;
  virtual bool finished() const = 0;
  /// How often a step that moves nothing has looked.
  virtual std::uint32_t looks_per_step() const { return 1; }
  /// The rank that the call can't go on without, or kNoCulprit.
  virtual int waits_for() const = 0;
  /// Whether it isn't its turn yet in the caller's stream: how long that takes the program knows.
  virtual bool waits_for_caller() const { return false; }
  /// Whether a call can be put into a graph (Operands::capture), and be made by the device alone.
  virtual bool can_be_captured() const { return false; }
  /// The plan that it runs, and suits as before, has got rows of other sizes: between two calls.
  virtual void resize() {}
  /// Whom the call speaks with.
  virtual std::span<transport::Endpoint* const> peers() const = 0;

 protected:
  /// Looks at a line before the waiter is asked how to wait: about as long as a peer on another
  /// core takes to answer. A peer that this core is needed for can't answer; and where a look is a
  /// call of the system, the waiter makes it.
  static constexpr int kMostLooks = 64;
  static int most_looks(bool spare_core, std::span<transport::Endpoint* const> peers) {
    const bool cheap =
        std::ranges::none_of(peers, [](const auto* peer) { return peer->gathers(); });
    return spare_core && cheap ? kMostLooks : 1;
  }
  /// Of messages of so many bytes together. Without a spare core the peer that is told may have
  /// this one's before the clock is read.
  static HeadStart head_start_of(std::size_t bytes, std::span<transport::Endpoint* const> peers,
                                 bool spare_core) {
    constexpr std::size_t kMostShortBytes = 1024;
    const bool cheap =
        std::ranges::none_of(peers, [](const auto* peer) { return peer->gathers(); });
    return spare_core && cheap && bytes <= kMostShortBytes ? HeadStart::kShort : HeadStart::kLong;
  }
};

/// One call between its begin and its end: what moves it on, as often and from whichever thread
/// there is, one at a time.
class Run {
 public:
  /// Borrows the call. `timer`: as Operands::timer.
  Run(Runner& runner, const transport::Call& call, trace::CallTimer* timer = nullptr)
      : runner_(&runner), call_(&call), timer_(timer) {}

  /// Steps, and waits where nothing moves, until the call is finished. Errors as Runner::run.
  Status drive(const RunContext& context);
  /// Steps once and doesn't wait; `moved` tells whether it was of use. True once finished.
  Result<bool> look(bool& moved);
  std::uint32_t looks_per_step() const { return runner_->looks_per_step(); }
  Sleeper& sleeper() { return *runner_; }
  /// What is to be looked at in a wait, once nothing was found in all that has come: how long it
  /// is, and what the neighbours have called.
  Status check_wait(const RunContext& context);
  /// When a wait in which nothing moves is too long; WaitLimit::kNever where that isn't to be said:
  /// it has hardly begun, or is the caller's own.
  std::chrono::steady_clock::time_point deadline(const RunContext& context) const;
  /// The waiter is about to begin anew, for something else of this rank has moved: the call goes on
  /// waiting.
  void others_moved(const Waiter& waiter);
  /// Between two that move it on: nothing of the peers is touched after pause. Errors of resume: as
  /// of drive.
  void pause();
  Status resume();
  Status end(Status status, int rank) { return runner_->end(std::move(status), rank); }
  std::span<transport::Endpoint* const> peers() const { return runner_->peers(); }

 private:
  void note_time(bool moved, bool finished);
  std::int64_t waited_us(const Waiter& waiter) const;
  Status compare_with_neighbours(const RunContext& context) const;
  Status timed_out(const RunContext& context) const;

  Runner* runner_;
  const transport::Call* call_;
  trace::CallTimer* timer_;
  std::int64_t next_comparison_us_ = kFirstComparisonUs;
  /// Where the waiter has begun anew since: when the call last moved.
  std::optional<std::chrono::steady_clock::time_point> still_since_;

  static constexpr std::int64_t kFirstComparisonUs = 1'000;
  static constexpr std::int64_t kComparisonPeriodUs = 10'000;
};

}  // namespace rondo::execute
