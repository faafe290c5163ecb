#pragma once

// Moves the calls that were started on one place on, in order: whoever holds the baton.
// Threads: `push` and `full` for the thread of the handle; what is marked so for the holder of the
// baton; the rest any.

#include <atomic>

#include "collectives/communicator/call_queue.h"
#include "collectives/communicator/pending_call.h"
#include "collectives/communicator/place.h"

namespace rondo::communicator {

class CallDriver {
 public:
  explicit CallDriver(Place& place) : place_(place) {}

  CallPool& pool() { return pool_; }
  bool idle() const { return queue_.empty(); }
  std::size_t outstanding() const { return queue_.outstanding(); }
  bool full() const { return queue_.full(); }
  void push(PendingCall& call) { queue_.push(call); }

  bool try_take() { return !is_driven_.exchange(true, std::memory_order_acquire); }
  void give_back() { is_driven_.store(false, std::memory_order_release); }
  /// Takes the baton from whoever drives in the background; false if `call` (null: none) is done,
  /// or `until` has come, before.
  bool take(const PendingCall* call, std::chrono::steady_clock::time_point until);
  bool is_wanted() const { return wanted_.load(std::memory_order_relaxed) != 0; }

  /// With the baton: until `awaited` is done (null: until nothing is outstanding) or the limit is
  /// reached; one in the background also until somebody wants the baton.
  void drive(const PendingCall* awaited, const execute::WaitLimit& limit);
  /// With the baton, and calls outstanding: until the oldest is done.
  void drive_one() { drive(&queue_.front(), {}); }
  /// With the baton: what can be done now; true if anything moved.
  bool look();
  /// With the baton: breaks the communicator, unless it is broken; everything outstanding fails.
  void give_up(const Status& cause);

  /// Ends a call that isn't in the queue (any more), one holder less.
  void complete(PendingCall& call, Status status);
  /// Runs the continuation of a call that was done before it had one.
  void continue_now(PendingCall& call);
  /// Whether this thread is inside a function that a program gave to one of these calls: a
  /// continuation or a custom reduction.
  bool is_called_back() const;

 private:
  bool begin_front();
  void end_front(Status status);
  void pop_front(Status status);
  void resume_front();
  void pause_front();

  Place& place_;
  CallPool pool_;
  CallQueue queue_;
  bool front_begun_ = false;             ///< with the baton
  std::atomic<bool> is_driven_ = false;  ///< the baton
  std::atomic<int> wanted_ = 0;          ///< threads that wait for it
};

}  // namespace rondo::communicator
