#include "collectives/communicator/call_driver.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace rondo::communicator {
namespace {

class Inside;
constinit thread_local const Inside* innermost = nullptr;

/// Whose calls this thread moves on, or whose continuations it runs, one inside the other: marks it
/// for as long as it lives.
class Inside {
 public:
  explicit Inside(const CallDriver* driver) : driver_(driver), outer_(innermost) {
    innermost = this;
  }
  ~Inside() { innermost = outer_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  static bool any_of(const CallDriver* driver) {
    const Inside* each = innermost;
    while (each != nullptr && each->driver_ != driver) each = each->outer_;
    return each != nullptr;
  }

 private:
  const CallDriver* driver_;
  const Inside* outer_;
};

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

CallDriver::CallDriver(Place& place)
    : place_(place), conversations_(place.mesh()), bell_(place.waiter().bell()) {
  place_.set_bystander(*this);
}

bool CallDriver::is_called_back() const { return Inside::any_of(this); }

bool CallDriver::is_any_called_back() { return innermost != nullptr; }

void CallDriver::push(PendingCall& call) {
  outstanding_.fetch_add(1, std::memory_order_relaxed);
  (call.arguments.exchange == Exchange::kNone ? collectives_ : exchanges_).push(call);
}

bool CallDriver::exchange_at_once(const CallArguments& arguments) {
  /// About as long as an answer takes.
  constexpr int kLooks = 400;
  if (!try_take()) return false;
  const Ticks entered = place_.trace().now();
  const bool looks_on = idle() && place_.waiter().has_spare_core();
  const bool made = make_at_once(arguments, looks_on ? kLooks : 1);
  if (made) place_.trace().end_exchange(arguments, entered, entered, {});
  // Others get on by the calls that their program makes.
  if (made && !idle()) look();
  give_back();
  return made;
}

bool CallDriver::exchange_at_once(PendingCall& call) {
  if (!try_take()) return false;
  const bool made = make_at_once(call.arguments, 1);
  if (made) {
    call.met = call.entered;
    finish_at_once(call, {});
  }
  give_back();
  return made;
}

/// With the baton. Those that were pushed come first.
bool CallDriver::make_at_once(const CallArguments& arguments, int looks) {
  return exchanges_.empty() && place_.is_usable() && conversations_.make_at_once(arguments, looks);
}

bool CallDriver::drive(const PendingCall* awaited, const execute::WaitLimit& limit) {
  const Inside marked(this);
  resume_front();
  while (!idle() && (awaited == nullptr || !awaited->done())) {
    const bool is_wanted_now = wanted_now_.load(std::memory_order_relaxed) != 0;
    // Who takes the baton from the background may keep it until that thread has ended.
    if (limit.in_background && (is_wanted_now || is_wanted())) break;
    if (is_wanted_now) {
      if (!step_aside(awaited, limit.until)) return false;
      continue;
    }
    const bool moved = turn();
    if (!moved) wait(limit);
    if (is_over(limit, moved)) break;
  }
  pause_all();
  return true;
}

/// The clock is read once for so many turns that moved something.
bool CallDriver::is_over(const execute::WaitLimit& limit, bool moved) const {
  constexpr std::uint32_t kTurns = 8;
  if (limit.until == execute::WaitLimit::kNever) return false;
  if (moved && turns_ % kTurns != 0) return false;
  return std::chrono::steady_clock::now() >= limit.until;
}

void CallDriver::drive_until_room() {
  const Inside marked(this);
  resume_front();
  while (full()) {
    if (wanted_now_.load(std::memory_order_relaxed) != 0) {
      // This thread can't wait behind others for long either.
      pause_all();
      give_back();
      take_now();
      resume_front();
    } else if (!turn()) {
      wait({});
    }
  }
  pause_all();
}

bool CallDriver::look() {
  const Inside marked(this);
  resume_front();
  bool any = turn_all();
  if (!any && !idle()) {
    wait({.never_waits = true});
    any = turn_all();
    if (!any && readiness_.has_sleeper()) any = look_before_sleep();
  }
  pause_all();
  return any;
}

bool CallDriver::look_again() {
  const Inside marked(this);
  resume_front();
  const bool any = turn_all();
  pause_all();
  looked_in_vain_ = !any;
  return any;
}

/// What the wait has brought is worked on first: no descriptor tells of it again. True if that
/// moved anything.
bool CallDriver::look_before_sleep() {
  if (turn_all()) return true;
  if (!idle()) let_sleep();
  return false;
}

/// Asks to be woken, as who sleeps himself does; peers' messages until here were seen, or are now.
void CallDriver::let_sleep() {
  lets_sleep_ = true;
  execute::Waiter& waiter = place_.waiter();
  if (waiter.arm(this)) return end_sleep();
  readiness_.arm(waiter.longest_sleep_ms());
}

void CallDriver::end_sleep() {
  lets_sleep_ = false;
  place_.waiter().disarm();
  readiness_.disarm();
}

void CallDriver::look_after_graphs() {
  if (!idle() || !place_.is_usable()) return;
  if (Status status = place_.look_after_graphs(); !status.ok()) give_up(status);
}

bool CallDriver::turn_all() {
  bool any = false;
  while (!idle() && turn()) any = true;
  return any;
}

/// Every call that can be moved on, once; true if one was.
bool CallDriver::turn() {
  const bool exchanged = turn_exchanges();
  const bool moved = turn_front();
  judges_ = judges_messages_ = false;
  settle();
  if (!exchanged && !moved) return false;
  ++turns_;
  if (front_begun_ && !moved) place_.under_way().others_moved(place_.waiter());
  if (conversing_ != 0 || front_begun_) read_now_and_then();
  place_.waiter().restart();
  return true;
}

/// What moves puts off no deadline of what doesn't: the next turn judges that.
void CallDriver::read_now_and_then() {
  /// To read, and the clock for each of what is judged, are calls of the system.
  constexpr std::uint32_t kTurns = 64;
  if (turns_ % kTurns == 0) read({.never_waits = true}, 1);
}

bool CallDriver::turn_front() {
  if (collectives_.empty() || waits_for_stream()) return false;
  if (!begin_front()) return true;
  bool moved = false;
  auto finished = place_.under_way().look(moved);
  if (finished.ok() && !*finished) {
    if (moved || !judges_) return moved;
    Status status = place_.under_way().check_wait(place_.context());
    if (status.ok()) return false;
    end_front(std::move(status));
    return true;
  }
  end_front(std::move(finished).status());
  return true;
}

/// The first call is one in a stream that isn't there yet, and its memory is needed on the host. On
/// the device itself streams wait for it.
bool CallDriver::waits_for_stream() const {
  const PendingCall& call = collectives_.front();
  return !front_begun_ && call.order != nullptr && !call.plan->on_device &&
         !call.order->ready().done();
}

bool CallDriver::turn_exchanges() {
  if (exchanges_.empty() && conversing_ == 0) return false;
  Status status = place_.usable();
  while (status.ok() && !exchanges_.empty()) {
    PendingCall& call = exchanges_.front();
    exchanges_.pop();
    status = conversations_.add(call);
    if (!status.ok()) {
      complete(call, status);
    } else {
      ++conversing_;
    }
  }
  if (!status.ok()) {
    give_up(status);
    return true;
  }
  const auto stepped = conversations_.step(exchanged_, front_begun_);
  // Before anything of the program's runs, which may take long.
  if (stepped.ok() && judges_messages_)
    status = conversations_.check_deadlines(place_.options().timeout_ms);
  const bool moved = end_exchanges(stepped);
  if (status.ok()) return moved;
  give_up(status);
  return true;
}

/// Those that a step has brought to their end; true if it moved anything.
bool CallDriver::end_exchanges(const Result<bool>& stepped) {
  conversing_ -= exchanged_.size();
  for (PendingCall* call : exchanged_) complete(*call, {});
  exchanged_.clear();
  if (stepped.ok()) return *stepped;
  give_up(stepped.status());
  return true;
}

/// Nothing moved: waits a little. Whether it has been too long the next turn finds, which sees what
/// this reads.
void CallDriver::wait(execute::WaitLimit limit) {
  const std::uint32_t looks = front_begun_ ? place_.under_way().looks_per_step() : 1;
  limit.sleeper = this;
  // A peer that has sent more than goes out unasked waits for this rank, and it maybe for that
  // peer.
  if (place_.waiter().is_long() &&
      end_exchanges(conversations_.take_unexpected(exchanged_, front_begun_))) {
    if (front_begun_) place_.under_way().others_moved(place_.waiter());
    place_.waiter().restart();
    return;
  }
  read(limit, looks);
}

/// How long a stream takes that a call is in, its program knows: such a call isn't judged.
void CallDriver::read(const execute::WaitLimit& limit, std::uint32_t looks) {
  Status status = place_.waiter().wait(limit, looks);
  judges_ = place_.waiter().has_just_looked();
  judges_messages_ = judges_ && (limit.never_waits || place_.waiter().is_long());
  if (status.ok()) return;
  if (front_begun_) return end_front(std::move(status));
  give_up(status);
}

Result<bool> CallDriver::take_unexpected() {
  return conversations_.take_unexpected(exchanged_, true);
}

void CallDriver::arm(const std::shared_ptr<Bell>& bell) {
  if (front_begun_) return place_.under_way().sleeper().arm(bell);
  if (front_rings_ || collectives_.empty() || !waits_for_stream()) return;
  front_rings_ = true;
  // Where it doesn't ring, the stream is looked at again all the same.
  static_cast<void>(collectives_.front().order->ready().ring_when_reached(bell));
}

/// The first deadline of all that is under way: of messages, and of the call.
std::chrono::steady_clock::time_point CallDriver::until() const {
  auto until = execute::WaitLimit::kNever;
  if (conversing_ != 0) until = conversations_.next_deadline();
  if (front_begun_) until = std::min(until, place_.under_way().deadline(place_.context()));
  return until;
}

void CallDriver::give_up(const Status& cause) {
  place_.abort_untold(cause);
  judges_ = judges_messages_ = false;
  const auto conversing = conversations_.take_all(exchanged_);
  conversing_ = 0;
  // In the trace before that is shown: the one that has failed may be among them.
  for (PendingCall* call : exchanged_) tell_end(*call, {});
  for (PendingCall* call : conversing) tell_end(*call, cause);
  if (front_begun_) end_front(cause);
  place_.trace().dump(cause);
  while (!collectives_.empty()) begin_front();
  for (PendingCall* call : exchanged_) finish(*call);
  exchanged_.clear();
  for (PendingCall* call : conversing) finish(*call);
  while (!exchanges_.empty()) {
    PendingCall& call = exchanges_.front();
    exchanges_.pop();
    complete(call, place_.usable());
  }
}

void CallDriver::end(const Status& cause) {
  if (!idle()) give_up(cause);
  judges_ = judges_messages_ = false;
  conversations_.pause();
}

/// False where the call has ended instead.
bool CallDriver::begin_front() {
  if (front_begun_) return true;
  const PendingCall& call = collectives_.front();
  Status status = place_.usable();
  const detail::EventImpl* const ready = call.order == nullptr ? nullptr : &call.order->ready();
  place_.trace().enter_at(call.entered);
  if (status.ok()) status = place_.begin(call.arguments, *call.plan, {ready, call.capture});
  front_begun_ = status.ok();
  if (!front_begun_) pop_front(std::move(status));
  return front_begun_;
}

void CallDriver::end_front(Status status) {
  front_begun_ = false;
  pop_front(place_.finish(std::move(status)));
}

void CallDriver::pop_front(Status status) {
  PendingCall& call = collectives_.front();
  collectives_.pop();
  front_rings_ = false;
  complete(call, std::move(status));
}

void CallDriver::resume_front() {
  if (front_begun_) {
    if (Status status = place_.under_way().resume(); !status.ok()) end_front(std::move(status));
  }
  // What the last turn's look found is no ground for a judgement now: it may be long ago.
  if (judges_ && !idle()) read({.never_waits = true}, 1);
}

/// Peers that the call under way has nothing to do with may have been met for a message.
void CallDriver::pause_all() {
  if (front_begun_) place_.under_way().pause();
  conversations_.pause();
}

/// Nobody has seen the call yet, so that nobody has to be kept from looking at it meanwhile.
void CallDriver::finish_at_once(PendingCall& call, Status status) {
  tell_end(call, std::move(status));
  call.holders.store(1, std::memory_order_relaxed);
  call.stage.store(PendingCall::Stage::kDone, std::memory_order_release);
  readiness_.ended();
}

void CallDriver::tell_end(PendingCall& call, Status status) {
  call.status = std::move(status);
  if (call.arguments.exchange != Exchange::kNone)
    place_.trace().end_exchange(call.arguments, call.entered, call.met, call.status);
  if (call.order != nullptr) call.order->leave(call.status);
}

void CallDriver::complete(PendingCall& call, Status status) {
  tell_end(call, std::move(status));
  finish(call);
}

void CallDriver::finish(PendingCall& call) {
  using Stage = PendingCall::Stage;
  const Stage before = call.stage.exchange(Stage::kEnding, std::memory_order_acq_rel);
  if (before == Stage::kHasContinuation) continue_now(call);
  outstanding_.fetch_sub(1, std::memory_order_release);
  call.stage.store(Stage::kDone, std::memory_order_release);
  readiness_.ended();
  pool_.release(call);
}

void CallDriver::continue_now(PendingCall& call) {
  const Inside marked(this);
  run_continuation(call);
}

}  // namespace rondo::communicator
