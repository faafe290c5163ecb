// Who may move the calls of a place on: whoever has the baton. Threads wait for it, are told that
// others do, and leave what they can't wait for to whoever has it.

#include <sched.h>

#include <chrono>
#include <utility>

#include "collectives/communicator/call_driver.h"
#include "core/futex.h"
#include "core/store_before_loads.h"

namespace rondo::communicator {
namespace {

/// Tries to take the baton, the core given away between them, before waiting for it properly. Then
/// how often to look whether the call is done without it.
constexpr int kTries = 100;
constexpr auto kLookPeriod = std::chrono::microseconds(1000);

}  // namespace

const void* CallDriver::this_thread() {
  static thread_local const char own = 0;
  return &own;
}

bool CallDriver::try_take() {
  if (is_driven_.exchange(1, std::memory_order_seq_cst) != 0) return false;
  holder_.store(this_thread(), std::memory_order_relaxed);
  found_looked_at_ = std::exchange(looked_in_vain_, false);
  if (lets_sleep_) end_sleep();
  return true;
}

bool CallDriver::take(const PendingCall* call, std::chrono::steady_clock::time_point until) {
  return (!gives_way() && try_take()) || want(call, until, GivesWay::kForAWhile);
}

bool CallDriver::want(const PendingCall* call, std::chrono::steady_clock::time_point until,
                      GivesWay gives_way) {
  wanted_.fetch_add(1, std::memory_order_seq_cst);
  bell_->ring();
  const bool taken = await_baton(call, until, gives_way);
  wanted_.fetch_sub(1, std::memory_order_seq_cst);
  return taken;
}

/// Others that can't wait come first, or who looks again and again might keep them from ever being
/// in time; once in so many times they don't, or they might do the same.
bool CallDriver::gives_way() {
  if (wanted_now_.load(std::memory_order_seq_cst) == 0) return false;
  return gave_way_.fetch_add(1, std::memory_order_relaxed) % kTries != kTries - 1;
}

bool CallDriver::await_baton(const PendingCall* call, std::chrono::steady_clock::time_point until,
                             GivesWay gives_way) {
  for (int tries = 0;; ++tries) {
    const bool gives =
        gives_way == GivesWay::kAlways || (gives_way == GivesWay::kForAWhile && tries < kTries);
    const bool is_behind = gives && wanted_now_.load(std::memory_order_seq_cst) != 0;
    if (!is_behind && try_take()) return true;
    if (call != nullptr && call->done()) return false;
    if (until != execute::WaitLimit::kNever && std::chrono::steady_clock::now() >= until)
      return false;
    const bool is_free = is_driven_.load(std::memory_order_relaxed) == 0;
    if (tries < kTries || (is_behind && is_free)) {
      sched_yield();
    } else {
      futex_wait(is_driven_, 1, kLookPeriod);
    }
  }
}

bool CallDriver::take_now(const PendingCall* call) {
  wanted_now_.fetch_add(1, std::memory_order_seq_cst);
  const bool taken = try_take() || want(call, execute::WaitLimit::kNever, GivesWay::kNever);
  wanted_now_.fetch_sub(1, std::memory_order_seq_cst);
  // Of those that gave way, and went on.
  if (!taken && readiness_.has_sleeper() && missed_.exchange(false, std::memory_order_seq_cst) &&
      !idle())
    readiness_.signal();
  return taken;
}

void CallDriver::await_leavers() const {
  while (is_wanted()) sched_yield();
}

/// With the baton, which is given away for as long as somebody wants it now; whether it is back.
bool CallDriver::step_aside(const PendingCall* awaited,
                            std::chrono::steady_clock::time_point until) {
  pause_all();
  wanted_.fetch_add(1, std::memory_order_seq_cst);
  give_back();
  const bool taken = await_baton(awaited, until, GivesWay::kAlways);
  if (taken) resume_front();
  wanted_.fetch_sub(1, std::memory_order_seq_cst);
  return taken;
}

bool CallDriver::take_to_sleep(bool is_spared) {
  if (is_wanted()) return false;
  if (!try_take()) {
    if (!is_spared || !take(nullptr, std::chrono::steady_clock::now() + kLookPeriod)) return false;
  }
  // Who comes to want it from here on interrupts the sleep.
  if (!is_wanted() && !idle()) return true;
  let_go();
  return false;
}

/// What others have read meanwhile no descriptor tells of, and a turn isn't for now: in a
/// continuation this thread might want a baton that it holds.
std::int64_t CallDriver::arm_to_sleep() {
  if (place_.waiter().arm(this) || !found_looked_at_) return 0;
  return place_.waiter().longest_sleep_ms();
}

bool CallDriver::try_take_or_tell() {
  if (gives_way()) {
    store_before_loads(missed_, true);
    // Else somebody who wants it now tells, with the baton or without.
    return wanted_now_.load(std::memory_order_seq_cst) == 0 && try_take();
  }
  if (try_take()) return true;
  store_before_loads(missed_, true);
  return try_take();
}

void CallDriver::give_back() {
  settle();
  let_go();
  // Of somebody who came too late for `settle`, and found the baton taken.
  answer();
}

void CallDriver::answer() {
  if (has_demands_.load(std::memory_order_seq_cst) && try_take()) give_back();
}

void CallDriver::let_go() {
  const bool sleeps = lets_sleep_;
  holder_.store(nullptr, std::memory_order_relaxed);
  store_before_loads(is_driven_, 0);
  if (wanted_.load(std::memory_order_seq_cst) != 0) futex_wake(is_driven_);
  if (!readiness_.has_sleeper()) return;
  // Behind it: a loop that has found the baton taken has taken back earlier signals before, and
  // may have brought a call that whoever sleeps hasn't looked at.
  const bool missed = missed_.exchange(false, std::memory_order_seq_cst);
  if (!idle() && (missed || !sleeps)) readiness_.signal();
}

void CallDriver::give_up_later(const Status& cause, PendingCall* call) {
  {
    const std::lock_guard lock(demands_mutex_);
    if (call != nullptr) call->holders.fetch_add(1, std::memory_order_relaxed);
    demands_.push_back({cause, call});
  }
  store_before_loads(has_demands_, true);
  if (has_baton()) return;
  if (try_take()) return give_back();
  bell_->ring();
}

/// What deadlines have ended, and what functions of the program asked for meanwhile.
void CallDriver::settle() {
  if (!conversations_.expired().empty()) end_expired();
  if (!has_demands_.load(std::memory_order_relaxed)) return;
  std::vector<Demand> demands;
  {
    const std::lock_guard lock(demands_mutex_);
    demands.swap(demands_);
    has_demands_.store(false, std::memory_order_relaxed);
  }
  for (const Demand& demand : demands) {
    if (demand.call == nullptr) {
      give_up(demand.cause);
      continue;
    }
    if (!demand.call->done()) cancel(*demand.call, demand.cause);
    pool_.release(*demand.call);
  }
}

/// That they have ended is a move like others: whoever waits for one doesn't sleep before it looks.
void CallDriver::end_expired() {
  const std::vector<PendingCall*> expired = std::exchange(conversations_.expired(), {});
  conversing_ -= expired.size();
  for (PendingCall* call : expired) complete(*call, std::move(call->status));
  if (front_begun_) place_.under_way().others_moved(place_.waiter());
  place_.waiter().restart();
}

void CallDriver::cancel(PendingCall& call, const Status& cause) {
  if (call.arguments.exchange == Exchange::kNone) return give_up(cause);
  if (!exchanges_.take_out(call)) {
    if (!conversations_.withdraw(call)) return give_up(cause);
    --conversing_;
  }
  complete(call, ended_alone(cause));
}

}  // namespace rondo::communicator
