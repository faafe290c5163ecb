#include "collectives/execute/host/waiter.h"

#include <sched.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "core/relax.h"

namespace rondo::execute {
namespace {

/// Looks between two readings of the clock while spinning.
constexpr std::uint32_t kLooksPerClock = 32;
/// Without a core to spare most yields only bring another rank's turn: the clock, and what isn't
/// the runner's to look at, come with every so many.
constexpr std::uint32_t kYieldsPerLook = 4;

std::int64_t left_ms(std::chrono::steady_clock::time_point until) {
  if (until == WaitLimit::kNever) return std::numeric_limits<int>::max();
  const auto left = until - std::chrono::steady_clock::now();
  const auto left_ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return std::clamp<std::int64_t>(left_ms, 0, std::numeric_limits<int>::max());
}

}  // namespace

Result<std::unique_ptr<Waiter>> Waiter::make(std::span<transport::Transport* const> transports,
                                             const WaitPolicy& policy) {
  std::unique_ptr<Waiter> waiter(new Waiter(transports, policy));
  waiter->epoll_fd_ = epoll_create1(EPOLL_CLOEXEC);
  if (waiter->epoll_fd_ < 0) return system_error("epoll_create1", errno);
  RONDO_ASSIGN(waiter->bell_, Bell::make());
  RONDO_TRY(waiter->watch(waiter->bell_->descriptor()));
  for (transport::Transport* transport : transports) {
    if (transport->wake_fd() < 0) {
      waiter->all_have_fd_ = false;
    } else {
      RONDO_TRY(waiter->watch(transport->wake_fd()));
    }
    waiter->all_are_polled_ &= transport->is_polled();
    waiter->asks_system_ |= transport->asks_system();
  }
  return waiter;
}

Status Waiter::watch(int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) == 0) return {};
  return system_error("epoll_ctl", errno);
}

Waiter::Waiter(std::span<transport::Transport* const> transports, const WaitPolicy& policy)
    : transports_(transports.begin(), transports.end()), policy_(policy), home_(policy.home_core) {}

Waiter::~Waiter() {
  if (epoll_fd_ >= 0) close(epoll_fd_);
}

void Waiter::count(std::uint32_t looks) {
  looks_before_ = idle_looks_;
  idle_looks_ += looks;
}

Status Waiter::look(std::uint32_t looks) {
  for (transport::Transport* transport : transports_) RONDO_TRY(transport->progress());
  count(looks);
  const bool is_first = looks_before_ < first_reading() && idle_looks_ >= first_reading();
  if (is_first) start_ = std::chrono::steady_clock::now();
  return {};
}

// Where a look is a system call for each peer, a clock costs nothing beside it.
bool Waiter::is_time_for_clock() const {
  if (asks_system_) return true;
  return looks_before_ / kLooksPerClock != idle_looks_ / kLooksPerClock;
}

Status Waiter::wait(const WaitLimit& limit, std::uint32_t looks) {
  just_looked_ = false;
  if (limit.never_waits) {
    idle_looks_ = std::max(idle_looks_, first_reading() - 1);
  } else if (only_yields()) {
    count(1);
    sched_yield();
    return {};
  }
  // The last look may have read all that this rank waits for. It has had a turn since, in vain:
  // only then do others get the core, not where it is about to see what its look has brought.
  if (looked_ && !limit.never_waits) {
    if (may_sleep(limit)) {
      looked_ = false;
      return wait_for_event(limit);
    }
    if (keeps_core()) {
      relax();
    } else {
      let_others_run(limit.in_background);
    }
  }
  RONDO_TRY(look(looks));
  looked_ = just_looked_ = true;
  return {};
}

// Even with a core for each rank others may want it: two ranks may have been put on one (the kernel
// wakes a rank where its peer runs, and takes ten milliseconds to part them), and other worlds and
// programs run there, too. Whoever has looked for longer than an answer takes lets others run, so
// that the peer that it waits for can; at once, where that was of use of late.
bool Waiter::keeps_core() const {
  if (!policy_.spare_core) return false;
  return !is_time_for_clock() || (crowd_ == 0 && waited_us() < policy_.alone_us);
}

void Waiter::let_others_run(bool in_background) {
  /// Longer than a system call, shorter than a turn of anybody else's.
  constexpr auto kTurn = std::chrono::microseconds(2);
  if (!policy_.spare_core) {  // others run here, as is known
    sched_yield();
    return;
  }
  if (!in_background && !std::exchange(has_yielded_, true)) home_.begin();
  const auto before = std::chrono::steady_clock::now();
  sched_yield();
  if (std::chrono::steady_clock::now() - before > kTurn) {
    const bool has_moved = !in_background && home_.is_shared(before);
    crowd_ = has_moved ? 0 : kCrowdYields;
  } else if (crowd_ > 0) {
    --crowd_;
  }
}

bool Waiter::only_yields() const {
  return !policy_.spare_core && all_are_polled_ && (idle_looks_ + 1) % kYieldsPerLook != 0;
}

bool Waiter::may_sleep(const WaitLimit& limit) const {
  if (policy_.spare_core && !is_time_for_clock()) return false;
  const bool has_core = policy_.spare_core && crowd_ == 0;
  const std::int64_t busy_us = has_core ? policy_.spin_us : policy_.yield_us;
  return waited_us() >= (limit.in_background ? policy_.background_us : busy_us);
}

// With a core to spare most waits are over before a clock is worth reading.
std::uint64_t Waiter::first_reading() const {
  if (policy_.spare_core) return asks_system_ ? 1 : kLooksPerClock;
  return all_are_polled_ ? kYieldsPerLook : 1;
}

std::int64_t Waiter::waited_us() const {
  if (!is_measured()) return 0;
  const auto waited = std::chrono::steady_clock::now() - start_;
  return std::chrono::duration_cast<std::chrono::microseconds>(waited).count();
}

// The first sleeps are short: neighbours' calls are compared once a millisecond is over. Later ones
// would go beyond a deadline by as much as has been waited.
std::int64_t Waiter::longest_sleep_ms() const {
  const std::int64_t most_ms = all_have_fd_ ? policy_.sleep_ms : 1;
  const std::int64_t wanted_ms = std::min(waited_us() / 1000, left_ms(sleeps_until_));
  return std::clamp<std::int64_t>(wanted_ms, 1, most_ms);
}

bool Waiter::arm(Sleeper* sleeper) {
  has_slept_ = true;
  sleeps_until_ = WaitLimit::kNever;
  if (sleeper != nullptr) {
    sleeper->arm(bell_);
    sleeps_until_ = sleeper->until();
  }
  bool awake = false;
  for (transport::Transport* transport : transports_) awake |= transport->arm();
  return awake;
}

void Waiter::disarm() {
  for (transport::Transport* transport : transports_) transport->disarm();
  bell_->silence();
}

Status Waiter::wait_for_event(const WaitLimit& limit) {
  Status status;
  if (!arm(limit.sleeper)) {
    const std::int64_t most_ms = std::min(longest_sleep_ms(), left_ms(limit.until));
    std::optional<HomeCore::Sleep> sleep;
    if (!limit.in_background && most_ms > 0) sleep.emplace(home_);
    epoll_event event;
    const int count = epoll_wait(epoll_fd_, &event, 1, static_cast<int>(most_ms));
    if (count < 0 && errno != EINTR) status = system_error("epoll_wait", errno);
  }
  disarm();
  return status;
}

}  // namespace rondo::execute
