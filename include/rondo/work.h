#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>

#include "rondo/error.h"
#include "rondo/export.h"

namespace rondo {

namespace communicator {
class Engine;
struct PendingCall;
}  // namespace communicator

inline namespace v1 {

class Work;

/// Waits for all of them, whichever communicators they belong to; a thread that has started calls
/// on several of its handles (places of one process, or overlapping groups) waits for them with
/// this, since none of them may be able to finish before the others have been moved on.
/// Errors: of the first in the list that failed, once all are done.
RONDO_API void wait_all(std::span<Work> works);

/// A call that was started and may still be under way: what Communicator::start returns. Calls of
/// one communicator run in the order in which they were started. Move-only; empty after a move, and
/// an empty one is done.
/// A Work may be dropped, and may outlive its communicator: a call that the communicator's end cut
/// short has failed with Cancelled.
/// Threads: one at a time, any thread.
class RONDO_API Work {
 public:
  Work() = default;
  Work(Work&& other) noexcept;
  Work& operator=(Work&& other) noexcept;
  ~Work();

  /// Whether the call is done, well or not; `wait` then returns at once. Where the communicator has
  /// no progress thread this is what moves the call on.
  bool test();

  /// Returns once the call is done.
  /// Errors: as the blocking call of the same name; Cancelled; what a continuation has thrown.
  void wait();

  /// The same for at most so long: false if the call isn't done by then. It goes on. (A step that
  /// this thread is at is ended first: of long data on this host a tenth of a second.)
  bool wait_for(std::chrono::milliseconds limit);

  /// Gives the call up if it isn't done. A collective can't go on without one of its ranks, so the
  /// communicator fails, on every rank, with code Cancelled and this rank as the culprit. A receive
  /// for which nothing has come, and a send of which nothing has gone out, end alone: only this
  /// Work fails, its memory is the caller's again, and what the peer sends with that tag later is
  /// for the next receive. Once something of a message is under way it is as for a collective. In a
  /// continuation it waits for nobody: a call of the same communicator is given up when that has
  /// returned, one of another at once, or soon where another thread moves that one's calls on.
  void cancel();

  /// Runs `continuation` once the call is done: null if it went well, otherwise its error. At once,
  /// here, if it is done already; otherwise on the thread that moves the communicator's calls on
  /// (its progress thread, or one that waits), before any `wait` for this call returns. It must not
  /// block, and not use that communicator: InvalidArgument. What it throws is thrown by `wait`.
  /// At most one for each call: InvalidArgument.
  void then(std::function<void(const Error*)> continuation);

 private:
  friend class Communicator;
  friend class Prepared;
  friend void wait_all(std::span<Work> works);
  Work(std::shared_ptr<communicator::Engine> engine, communicator::PendingCall* call);

  std::shared_ptr<communicator::Engine> engine_;
  communicator::PendingCall* call_ = nullptr;
};

}  // namespace v1
}  // namespace rondo
