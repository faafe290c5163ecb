#include "collectives/communicator/engine.h"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>

#include <utility>

namespace rondo::communicator {
namespace {

/// Who is in a handle's calls: nobody, somebody who only looks, or a thread.
constexpr std::uintptr_t kNobody = 0;
constexpr std::uintptr_t kLooker = 1;

/// No thread's is one of those above: it is an address. std::thread::id has no room for them.
std::uintptr_t this_thread() { return static_cast<std::uintptr_t>(pthread_self()); }

Status not_from_inside() {
  return Status(ErrorCode::kInvalidArgument,
                "a continuation can't use the communicator that runs it, nor can a custom "
                "reduction: nothing moves its calls on meanwhile; let the thread that started them "
                "do it");
}

Status beside_another() {
  return Status(ErrorCode::kInvalidArgument,
                "another thread is inside a call of this communicator: a handle is for one thread "
                "at a time; make a communicator for each");
}

}  // namespace

/// One thread in the handle's calls at a time: of two that come at the very same moment one passes.
/// Who only looks is none of them, and soon gone.
class Engine::Entry {
 public:
  explicit Entry(Engine& engine) : engine_(engine) {
    while (!enter() && inside_ == kLooker) {
      inside_ = kNobody;
      sched_yield();
    }
  }
  ~Entry() {
    if (!is_free()) return;
    engine_.heed();
    engine_.inside_.store(kNobody, std::memory_order_release);
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  Status status() const {
    if (engine_.place_ == nullptr) {
      return Status(ErrorCode::kInvalidArgument, "the communicator of this call is destroyed");
    }
    if (is_free()) {
      const bool is_inside = engine_.asynchronous_ && engine_.driver_.is_called_back();
      return is_inside ? not_from_inside() : Status();
    }
    // The engine is the other thread's meanwhile.
    if (is_of_this_thread()) return not_from_inside();
    // Who is inside may be another thread that aborts.
    const execute::Interruption& interruption = engine_.place_->interruption();
    return interruption.is_asked() ? interruption.cause() : beside_another();
  }
  bool is_free() const { return inside_ == kNobody; }
  bool is_own() const { return inside_ == this_thread(); }
  /// Also of a continuation's that this thread runs.
  bool is_of_this_thread() const { return is_own() || engine_.driver_.is_called_back(); }

 private:
  bool enter() {
    return engine_.inside_.compare_exchange_strong(
        inside_, this_thread(), std::memory_order_acq_rel, std::memory_order_acquire);
  }

  Engine& engine_;
  std::uintptr_t inside_ = kNobody;  ///< whom it found there; nobody: this thread is inside now
};

/// Keeps calls out for as long as a look takes: they wait for it. Nothing is waited for meanwhile.
class Engine::Glance {
 public:
  explicit Glance(Engine& engine) : engine_(engine) {
    std::uintptr_t inside = kNobody;
    is_alone_ = engine_.inside_.compare_exchange_strong(inside, kLooker, std::memory_order_acq_rel,
                                                        std::memory_order_relaxed);
  }
  ~Glance() {
    if (is_alone_) engine_.inside_.store(kNobody, std::memory_order_release);
  }
  Glance(const Glance&) = delete;
  Glance& operator=(const Glance&) = delete;

  bool is_alone() const { return is_alone_; }

 private:
  Engine& engine_;
  bool is_alone_ = false;
};

Engine::Engine(std::unique_ptr<Place> place, bool has_progress_thread)
    : place_(std::move(place)), driver_(*place_), rank_(place_->rank()), size_(place_->size()) {
  if (has_progress_thread) progress_ = std::make_unique<ProgressThread>(driver_);
}

/// While nobody else moves calls on: at once where this thread does, as in a continuation or in a
/// function of its call.
template <class Look>
auto Engine::undisturbed(Look&& look) -> Result<decltype(look(std::declval<Place&>()))> {
  if (driver_.has_baton()) return look(*place_);
  for (;; sched_yield()) {
    RONDO_TRY(check_alone());
    // Then whoever makes a call has the baton for what is looked at.
    if (asynchronous_) break;
    if (inside_ == this_thread()) return look(*place_);
    const Glance glance(*this);
    if (glance.is_alone() && !asynchronous_) return look(*place_);
  }
  driver_.take_now();
  auto seen = look(*place_);
  give_back();
  return seen;
}

/// Of what only looks, which is nothing that calls are refused beside. Who is inside may be another
/// thread that aborts, and soon gone.
Status Engine::check_alone() const {
  constexpr int kPatienceMs = 2000;
  const auto is_alone = [this] {
    const std::uintptr_t inside = inside_;
    return inside == kNobody || inside == kLooker || inside == this_thread();
  };
  if (driver_.is_called_back()) return {};
  for (int ms = 0; !is_alone(); ++ms) {
    if (ms == kPatienceMs || !place_->interruption().is_asked()) return beside_another();
    poll(nullptr, 0, 1);
  }
  return {};
}

Result<CallInfo> Engine::last_call() {
  return undisturbed([](const Place& place) { return place.last_call(); });
}

Result<std::vector<PeerTraffic>> Engine::traffic() {
  return undisturbed([](const Place& place) { return place.traffic(); });
}

Status Engine::begin_anew() {
  return undisturbed([](Place& place) {
           place.begin_anew();
           return true;
         })
      .status();
}

Status Engine::tell(TraceFunction function) {
  Status told;
  const auto looked = undisturbed([&](Place& place) {
    told = place.trace().tell(std::move(function));
    return true;
  });
  return looked.ok() ? told : looked.status();
}

Result<std::string> Engine::metrics() {
  return undisturbed([](Place& place) { return place.trace().metrics(); });
}

Status Engine::call(const CallArguments& arguments, const std::shared_ptr<PreparedPlan>& plan) {
  const Entry entry(*this);
  RONDO_TRY(entry.status());
  if (!is_outdated(plan)) return call_by(arguments, plan);
  RONDO_ASSIGN(const std::shared_ptr<PreparedPlan> anew, admit(arguments));
  return call_by(arguments, anew);
}

/// What was prepared before choices changed, as by a tuning: other ranks may have prepared it
/// since.
bool Engine::is_outdated(const std::shared_ptr<PreparedPlan>& plan) const {
  return plan != nullptr && plan->era != place_->era();
}

Status Engine::call_by(const CallArguments& arguments, const std::shared_ptr<PreparedPlan>& plan) {
  if (asynchronous_ || arguments.exchange != Exchange::kNone)
    return call_behind_others(arguments, plan);
  return plan == nullptr ? place_->call(arguments) : place_->run(arguments, *plan);
}

Status Engine::call(const GivenCall& call) {
  const Entry entry(*this);
  RONDO_TRY(entry.status());
  if (!asynchronous_) return place_->call(call);
  return call_behind_others(call);
}

/// By itself: the shortest calls needn't make room for its arguments.
[[gnu::noinline]] Status Engine::call_behind_others(const GivenCall& call) {
  return call_behind_others(used_by(place_->rank(), arguments_of(call)), nullptr);
}

Status Engine::call_behind_others(const CallArguments& arguments,
                                  const std::shared_ptr<PreparedPlan>& plan) {
  if (arguments.exchange != Exchange::kNone) {
    RONDO_TRY(admit_exchange(arguments));
    if (driver_.exchange_at_once(arguments)) return {};
  } else if (driver_.idle()) {
    driver_.take(nullptr, kNever);
    Status status = plan == nullptr ? place_->call(arguments) : place_->run(arguments, *plan);
    give_back();
    return status;
  }
  RONDO_ASSIGN(PendingCall* const pending, push(arguments, plan));
  auto done = wait(*pending);
  Status status = done.ok() ? pending->status : std::move(done).status();
  drop(*pending);
  return status;
}

Result<std::shared_ptr<PreparedPlan>> Engine::prepare(const CallArguments& arguments,
                                                      const detail::StreamImpl* stream) {
  const Entry entry(*this);
  RONDO_TRY(entry.status());
  if (stream != nullptr) RONDO_TRY(check_stream(arguments, *stream));
  return admit(arguments);
}

Status Engine::admit_exchange(const CallArguments& arguments) const {
  RONDO_TRY(place_->usable());
  return check_exchange(arguments, place_->size());
}

Result<std::shared_ptr<PreparedPlan>> Engine::admit(const CallArguments& arguments) {
  if (arguments.exchange != Exchange::kNone) {
    RONDO_TRY(admit_exchange(arguments));
    return std::shared_ptr<PreparedPlan>();
  }
  auto plan = place_->admit(arguments);
  if (!plan.ok()) return told(std::move(plan).status());
  if (*plan == nullptr) return std::shared_ptr<PreparedPlan>();
  return (*plan)->shared_from_this();
}

/// Where the peers would wait in a call that this rank's device has refused, they are told.
Status Engine::told(Status status) {
  if (!place_->is_left_alone_by(status)) return status;
  status = std::move(status).with_culprit(place_->rank());
  abort(status);
  return status;
}

Result<PendingCall*> Engine::start(const CallArguments& arguments,
                                   std::shared_ptr<PreparedPlan> plan, detail::StreamImpl* stream) {
  const Entry entry(*this);
  RONDO_TRY(entry.status());
  if (stream != nullptr) RONDO_TRY(check_stream(arguments, *stream));
  if (is_outdated(plan)) {
    RONDO_ASSIGN(plan, admit(arguments));
  }
  if (stream != nullptr && stream->is_capturing())
    return capture(arguments, std::move(plan), *stream);
  // Where nobody would move the call on while the stream stands still, it isn't left standing.
  const bool blocks = stream != nullptr && (!stream->can_wait_for_host() || progress_ == nullptr);
  if (blocks) RONDO_TRY(synchronize_before(arguments, plan, *stream));
  RONDO_ASSIGN(PendingCall* const call,
               push(arguments, std::move(plan), blocks ? nullptr : stream));
  if (!driver_.idle()) {
    begin_or_ring();
    if (progress_ != nullptr && !driver_.idle()) progress_->wake();
  }
  stay_ready();
  if (blocks) RONDO_TRY(wait(*call).status());
  return call;
}

/// The hosts meet now; what they have found out stays in the graph, and what it needs with this
/// communicator.
Result<PendingCall*> Engine::capture(const CallArguments& arguments,
                                     std::shared_ptr<PreparedPlan> plan,
                                     detail::StreamImpl& stream) {
  if (plan == nullptr) {
    RONDO_ASSIGN(plan, admit(arguments));
  }
  if (plan == nullptr) return capture_alone(arguments, stream);
  // Sizes that only two ranks know would be found to differ by the kernel alone.
  if (arguments.uneven || !plan->runner->can_be_captured()) {
    return Status(
        ErrorCode::kUnsupported,
        "a call in a stream that is being captured has to be the devices' alone, with "
        "equal parts: one kernel of each rank, of 2 to 10, on CUDA devices of one host that "
        "no two processes share (RONDO_DEVICE_PATH=kernel), or their library's (NCCL), "
        "once a call outside of a graph has joined it");
  }
  captured_.push_back(plan);
  RONDO_ASSIGN(PendingCall* const call, push(arguments, std::move(plan), nullptr, &stream));
  RONDO_TRY(wait(*call).status());
  if (call->status.ok()) {
    if (progress_ != nullptr) progress_->watch_graphs();
    return call;
  }
  // Said at once: no stream fails with it, and a graph without it is not what was meant.
  Status status = call->status;
  driver_.pool().release(*call);
  return status;
}

Result<PendingCall*> Engine::capture_alone(const CallArguments& arguments,
                                           detail::StreamImpl& stream) {
  // Said at once, as above.
  RONDO_TRY(place_->run_alone(arguments, &stream));
  PendingCall& call = driver_.pool().take();
  call.set_arguments(arguments);
  driver_.finish_at_once(call, {});
  return &call;
}

/// Peers may be waiting in the call already: that this rank can't make it is told to them.
Status Engine::synchronize_before(const CallArguments& arguments,
                                  std::shared_ptr<PreparedPlan>& plan, detail::StreamImpl& stream) {
  if (plan == nullptr) {
    RONDO_ASSIGN(plan, admit(arguments));
  }
  Status status = stream.synchronize();
  if (status.ok() || plan == nullptr) return status;
  status = std::move(status).with_culprit(place_->rank());
  abort(status);
  return status;
}

Status Engine::check_stream(const CallArguments& arguments,
                            const detail::StreamImpl& stream) const {
  if (arguments.exchange != Exchange::kNone) {
    return Status(ErrorCode::kUnsupported,
                  "send and receive have no place in a stream: their memory is the host's");
  }
  const Device device = stream.device();
  if (device.kind == DeviceKind::kHost || device == place_->device()) return {};
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("the stream is one of {}:{}, but this communicator's place is {}:{}",
                            to_string(device.kind), device.index, to_string(place_->device().kind),
                            place_->device().index));
}

Result<PendingCall*> Engine::push(const CallArguments& arguments,
                                  std::shared_ptr<PreparedPlan> plan, detail::StreamImpl* stream,
                                  detail::StreamImpl* capture) {
  if (plan != nullptr) {
    RONDO_TRY(place_->usable());
  } else {
    RONDO_ASSIGN(plan, admit(arguments));
  }
  while (driver_.full()) make_room();
  const bool is_alone = plan == nullptr && arguments.exchange == Exchange::kNone;
  if (!is_alone && !asynchronous_ && progress_ != nullptr) RONDO_TRY(progress_->start());
  if (!is_alone && !asynchronous_) RONDO_TRY(become_asynchronous());
  std::shared_ptr<device::StreamOrder> order;
  if (stream != nullptr && is_alone) RONDO_TRY(stream->synchronize());
  if (stream != nullptr && !is_alone) {
    auto entered = device::StreamOrder::enter(*stream);
    if (!entered.ok()) return told(std::move(entered).status());
    order = std::move(entered).value();
  }
  PendingCall& call = driver_.pool().take();
  call.set_arguments(arguments);
  call.plan = std::move(plan);
  call.order = std::move(order);
  call.capture = capture;
  call.entered = place_->trace().now();
  call.met = 0;
  if (is_alone) {
    driver_.finish_at_once(call, place_->run_alone(arguments));
    return &call;
  }
  const bool is_exchange = arguments.exchange != Exchange::kNone;
  if (!is_exchange || !driver_.exchange_at_once(call)) driver_.push(call);
  return &call;
}

/// The oldest call can end, whatever comes later.
void Engine::make_room() {
  driver_.take_now();
  driver_.drive_until_room();
  give_back();
}

/// A thread that is in a call gives up itself, as soon as it waits or has ended it: this one waits
/// for that a little, so that what it does next finds the communicator failed, but no longer. The
/// other may be in a function of the program's that aborts another communicator in turn.
void Engine::abort(const Status& cause) {
  constexpr int kYields = 100;
  constexpr int kMostLooks = 200;
  if (driver_.has_baton()) return driver_.give_up_later(cause);
  place_->interruption().ask(cause);
  bool is_demanded = false;
  for (int looks = 0; looks < kMostLooks && place_->is_usable(); ++looks) {
    if (abort_alone(cause)) return;
    if (asynchronous_ && !std::exchange(is_demanded, true)) driver_.give_up_later(cause);
    place_->waiter().interrupt();
    if (looks < kYields) {
      sched_yield();
    } else if (CallDriver::is_any_called_back()) {
      return;
    } else {
      poll(nullptr, 0, 1);
    }
  }
}

/// True where nobody else can be in this communicator, and it was done.
bool Engine::abort_alone(const Status& cause) {
  const Entry entry(*this);
  if (asynchronous_ || !(entry.is_free() || entry.is_own())) return false;
  place_->abort(cause);
  return true;
}

/// Until now whoever aborts has left it to this thread; from here on it does it by a demand.
Status Engine::become_asynchronous() {
  asynchronous_ = true;
  if (!place_->interruption().is_asked()) return {};
  driver_.give_up_later(place_->interruption().cause());
  return place_->usable();
}

/// Who leaves a call does what was asked for meanwhile, unless others drive, too.
void Engine::heed() {
  if (place_ == nullptr || !place_->interruption().is_asked() || asynchronous_) return;
  place_->abort(place_->interruption().cause());
}

void Engine::close() {
  if (place_ == nullptr) return;
  if (progress_ != nullptr) progress_->stop();
  // Also where all has ended: another thread may still be about to leave.
  if (asynchronous_) {
    driver_.take_now();
    driver_.end(Status(ErrorCode::kCancelled,
                       fmt::format("rank {} destroyed its communicator with {} started calls "
                                   "outstanding; wait for them first",
                                   place_->rank(), driver_.outstanding()),
                       place_->rank()));
    driver_.give_back();
  }
  driver_.await_leavers();
  place_.reset();
}

bool Engine::test(PendingCall& call) {
  if (!call.done() && progress_ == nullptr && !driver_.is_called_back()) nudge();
  return call.done();
}

Result<bool> Engine::wait(PendingCall& call, TimePoint until) {
  if (call.done()) return true;
  if (driver_.is_called_back()) return not_from_inside();
  if (!driver_.take(&call, until)) return call.done();
  if (driver_.drive(&call, {.until = until})) driver_.give_back();
  leave_to_thread();
  return call.done();
}

void Engine::cancel(PendingCall& call) {
  if (call.done()) return;
  const Status cause(ErrorCode::kCancelled,
                     fmt::format("rank {} cancelled a call that it had started: {}", rank_,
                                 describe(call.arguments, size_)),
                     rank_);
  // Two that wait for each other's batons in continuations would do so for ever.
  if (CallDriver::is_any_called_back()) return driver_.give_up_later(cause, &call);
  if (!driver_.take_now(&call)) return;
  if (!call.done()) driver_.cancel(call, cause);
  give_back();
}

Status Engine::then(PendingCall& call, std::function<void(const Error*)> continuation) {
  using Stage = PendingCall::Stage;
  if (call.continuation != nullptr) {
    return Status(ErrorCode::kInvalidArgument, "then: the call has a continuation already");
  }
  call.continuation = std::move(continuation);
  Stage expected = Stage::kPending;
  if (call.stage.compare_exchange_strong(expected, Stage::kHasContinuation,
                                         std::memory_order_acq_rel))
    return {};
  while (!call.done()) std::this_thread::yield();
  // The work that the caller has may be the last holder, and be dropped inside.
  call.holders.fetch_add(1, std::memory_order_relaxed);
  driver_.continue_now(call);
  drop(call);
  return {};
}

/// Whoever sleeps for earlier calls has to see a new one, too.
void Engine::begin_or_ring() {
  if (!driver_.try_take_or_tell()) return place_->waiter().interrupt();
  driver_.look();
  driver_.give_back();
}

bool Engine::nudge() {
  if (driver_.idle() || !driver_.try_take_or_tell()) return false;
  const bool moved = driver_.look();
  driver_.give_back();
  return moved;
}

bool Engine::nudge_again() {
  if (driver_.idle() || !driver_.try_take_or_tell()) return false;
  const bool moved = driver_.look_again();
  driver_.give_back();
  return moved;
}

bool Engine::take_to_sleep() {
  return driver_.take_to_sleep(progress_ != nullptr && progress_->drives());
}

Result<int> Engine::descriptor() {
  const int wake_fd = progress_ == nullptr ? place_->waiter().wake_fd() : Readiness::kNobodySleeps;
  RONDO_ASSIGN(const int descriptor, driver_.readiness().open(wake_fd));
  stay_ready();
  return descriptor;
}

/// Signals are taken back before each look: whoever has the baton meanwhile signals again.
std::size_t Engine::progress() {
  Readiness& readiness = driver_.readiness();
  const bool drives = progress_ == nullptr && !driver_.is_called_back();
  std::size_t ended = 0;
  do {
    if (readiness.is_open()) ended += readiness.take();
    if (drives) nudge();
  } while (readiness.has_ended());
  if (drives) look_after_graphs();
  return ended;
}

void Engine::look_after_graphs() {
  if (captured_.empty() || !driver_.try_take()) return;
  driver_.look_after_graphs();
  driver_.give_back();
}

/// Nobody else moves calls on, and these haven't been looked at.
void Engine::stay_ready() {
  Readiness& readiness = driver_.readiness();
  if (readiness.has_sleeper() && !driver_.idle()) readiness.signal();
}

void Engine::give_back() {
  driver_.give_back();
  leave_to_thread();
}

void Engine::leave_to_thread() {
  if (progress_ != nullptr && !driver_.idle()) progress_->wake();
}

}  // namespace rondo::communicator
