#include "collectives/communicator/call_driver.h"

#include <sched.h>

#include <chrono>
#include <thread>
#include <utility>

namespace rondo::communicator {
namespace {

/// Whose calls this thread moves on, or whose continuation it runs, if it does.
thread_local const CallDriver* inside = nullptr;

/// Marks this thread for as long as it lives.
class Inside {
 public:
  explicit Inside(const CallDriver* driver) : outer_(std::exchange(inside, driver)) {}
  ~Inside() { inside = outer_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  const CallDriver* outer_;
};

/// Tries to take the baton, giving the core away between them, before sleeping.
constexpr int kTries = 100;
constexpr auto kNap = std::chrono::microseconds(50);

void run_continuation(PendingCall& call) {
  try {
    if (call.status.ok()) return call.continuation(nullptr);
    const Error error(call.status.code(), call.status.message(), call.status.culprit(),
                      call.status.where());
    call.continuation(&error);
  } catch (...) {
    call.thrown = std::current_exception();
  }
}

}  // namespace

bool CallDriver::is_called_back() const { return inside == this; }

bool CallDriver::take(const PendingCall* call, std::chrono::steady_clock::time_point until) {
  if (try_take()) return true;
  wanted_.fetch_add(1, std::memory_order_seq_cst);
  place_.waiter().interrupt();
  bool taken = false;
  for (int tries = 0; !(taken = try_take()); ++tries) {
    if (call != nullptr && call->done()) break;
    if (until != execute::WaitLimit::kNever && std::chrono::steady_clock::now() >= until) break;
    if (tries < kTries) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(kNap);
    }
  }
  wanted_.fetch_sub(1, std::memory_order_seq_cst);
  return taken;
}

void CallDriver::drive(const PendingCall* awaited, const execute::WaitLimit& limit) {
  const std::atomic<int>* const wanted = limit.in_background ? &wanted_ : nullptr;
  const Inside marked(this);
  resume_front();
  while (!queue_.empty() && (awaited == nullptr || !awaited->done())) {
    if (wanted != nullptr && is_wanted()) break;
    if (!begin_front()) continue;
    auto finished = place_.under_way().drive(place_.context(), limit, wanted);
    if (finished.ok() && !*finished) break;
    end_front(std::move(finished).status());
  }
  pause_front();
}

bool CallDriver::look() {
  bool any = false;
  bool moved = true;
  const Inside marked(this);
  resume_front();
  while (moved && !queue_.empty()) {
    if (!begin_front()) {
      any = true;
      continue;
    }
    auto finished = place_.under_way().look(place_.context(), moved);
    any |= moved;
    if (finished.ok() && !*finished) continue;
    end_front(std::move(finished).status());
    any = moved = true;
  }
  pause_front();
  return any;
}

void CallDriver::give_up(const Status& cause) {
  place_.abort(cause);
  if (front_begun_) end_front(cause);
  while (!queue_.empty()) begin_front();
}

/// False where the call has ended instead.
bool CallDriver::begin_front() {
  if (front_begun_) return true;
  const PendingCall& call = queue_.front();
  Status status = place_.usable();
  if (status.ok()) status = place_.begin(call.arguments, *call.plan);
  front_begun_ = status.ok();
  if (!front_begun_) pop_front(std::move(status));
  return front_begun_;
}

void CallDriver::end_front(Status status) {
  front_begun_ = false;
  pop_front(place_.finish(std::move(status)));
}

void CallDriver::pop_front(Status status) {
  PendingCall& call = queue_.front();
  queue_.pop();
  complete(call, std::move(status));
}

void CallDriver::resume_front() {
  if (!front_begun_) return;
  if (Status status = place_.under_way().resume(); !status.ok()) end_front(std::move(status));
}

void CallDriver::pause_front() {
  if (front_begun_) place_.under_way().pause();
}

void CallDriver::complete(PendingCall& call, Status status) {
  using Stage = PendingCall::Stage;
  call.status = std::move(status);
  const Stage before = call.stage.exchange(Stage::kEnding, std::memory_order_acq_rel);
  if (before == Stage::kHasContinuation) continue_now(call);
  call.stage.store(Stage::kDone, std::memory_order_release);
  pool_.release(call);
}

void CallDriver::continue_now(PendingCall& call) {
  const Inside marked(this);
  run_continuation(call);
}

}  // namespace rondo::communicator
