#include "collectives/execute/host/waiter.h"

#include <sched.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "core/relax.h"

namespace rondo::execute {
namespace {

/// Looks between two readings of the clock while spinning.
constexpr std::uint32_t kLooksPerClock = 32;

}  // namespace

Result<std::unique_ptr<Waiter>> Waiter::make(std::span<transport::Transport* const> transports,
                                             const WaitPolicy& policy) {
  std::unique_ptr<Waiter> waiter(new Waiter(transports, policy));
  waiter->epoll_fd_ = epoll_create1(EPOLL_CLOEXEC);
  if (waiter->epoll_fd_ < 0) return system_error("epoll_create1", errno);
  for (transport::Transport* transport : transports) {
    epoll_event event{};
    event.events = EPOLLIN;
    if (transport->wake_fd() < 0) {
      waiter->all_have_fd_ = false;
    } else if (epoll_ctl(waiter->epoll_fd_, EPOLL_CTL_ADD, transport->wake_fd(), &event) != 0) {
      return system_error("epoll_ctl", errno);
    }
  }
  return waiter;
}

Waiter::Waiter(std::span<transport::Transport* const> transports, const WaitPolicy& policy)
    : transports_(transports.begin(), transports.end()), policy_(policy) {}

Waiter::~Waiter() {
  if (epoll_fd_ >= 0) close(epoll_fd_);
}

Status Waiter::wait() {
  for (transport::Transport* transport : transports_) RONDO_TRY(transport->progress());
  ++idle_looks_;
  if (idle_looks_ == first_reading()) start_ = std::chrono::steady_clock::now();
  if (policy_.spare_core) {
    if (idle_looks_ % kLooksPerClock != 0 || waited_us() < policy_.spin_us) {
      relax();
      return {};
    }
  } else if (waited_us() < policy_.yield_us) {
    sched_yield();
    return {};
  }
  return sleep();
}

// With a core to spare most waits are over before a clock is worth reading.
std::uint32_t Waiter::first_reading() const { return policy_.spare_core ? kLooksPerClock : 1; }

std::int64_t Waiter::waited_us() const {
  if (idle_looks_ < first_reading()) return 0;
  const auto waited = std::chrono::steady_clock::now() - start_;
  return std::chrono::duration_cast<std::chrono::microseconds>(waited).count();
}

Status Waiter::sleep() {
  bool awake = false;
  for (transport::Transport* transport : transports_) awake |= transport->arm();
  if (!awake) {
    epoll_event event;
    // The first sleeps are short: neighbours' calls are compared once a millisecond is over.
    const int limit_ms = all_have_fd_ ? policy_.sleep_ms : 1;
    const auto waited_ms = static_cast<int>(std::min<std::int64_t>(waited_us() / 1000, limit_ms));
    const int count = epoll_wait(epoll_fd_, &event, 1, std::max(1, waited_ms));
    if (count < 0 && errno != EINTR) return system_error("epoll_wait", errno);
  }
  for (transport::Transport* transport : transports_) transport->disarm();
  return {};
}

}  // namespace rondo::execute
