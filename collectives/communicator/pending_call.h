#pragma once

// A call that was started: its own copy of the arguments, how it ended, and who still looks at it.
// Used again and again: a communicator that starts calls at a steady rate allocates nothing.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "collectives/communicator/call_arguments.h"
#include "collectives/communicator/plan_cache.h"
#include "collectives/execute/messages/message_sender.h"
#include "core/device/stream_order.h"
#include "core/status.h"
#include "core/ticks.h"
#include "rondo/call.h"

namespace rondo::communicator {

struct PendingCall {
  /// kEnding: how it ended is known; its continuation, if it has one, runs.
  enum class Stage : std::uint8_t { kPending, kHasContinuation, kEnding, kDone };

  CallArguments arguments;  ///< its counts are those below
  std::vector<std::size_t> input_counts;
  std::vector<std::size_t> output_counts;
  std::shared_ptr<PreparedPlan> plan;
  std::shared_ptr<device::StreamOrder> order;  ///< null: of no stream
  detail::StreamImpl* capture = nullptr;       ///< a stream that puts the call into a graph
  std::function<void(const Error*)> continuation;

  Ticks entered = 0;  ///< when it was started; 0: nothing is traced
  /// Of a message, while it is outstanding: where it stood when it was looked at last, and since
  /// when; of no time before the first look.
  execute::Outstanding seen{};
  std::chrono::steady_clock::time_point still_since{};
  Ticks met = 0;  ///< of a message: its peer had come to it; 0: only when it was done
  /// Read once done; of a message that has expired it is set before.
  Status status;
  std::exception_ptr thrown;  ///< by the continuation; read once done
  std::atomic<Stage> stage = Stage::kPending;
  std::atomic<int> holders = 0;  ///< the queue and the Work: free when there is none
  PendingCall* next_free = nullptr;

  bool done() const { return stage.load(std::memory_order_acquire) == Stage::kDone; }
  void set_arguments(const CallArguments& given);
  /// Throws how the call ended, if it didn't end well. Once done.
  void rethrow() const;
};

/// Hands out pending calls. Threads: `take` one at a time, `release` any.
class CallPool {
 public:
  PendingCall& take();
  /// One holder less.
  void release(PendingCall& call);

 private:
  std::vector<std::unique_ptr<PendingCall>> all_;
  PendingCall* at_hand_ = nullptr;  ///< free, for `take` alone
  std::atomic<PendingCall*> given_back_ = nullptr;
};

}  // namespace rondo::communicator
