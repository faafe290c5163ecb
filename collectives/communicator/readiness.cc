#include "collectives/communicator/readiness.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>

namespace rondo::communicator {
namespace {

Status watch(int epoll, int fd, std::uint32_t events) {
  epoll_event event{.events = events, .data = {.fd = fd}};
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0) return {};
  return system_error("no descriptor to be polled: epoll_ctl", errno);
}

}  // namespace

Result<int> Readiness::open(int wake_fd) {
  if (is_open()) return descriptor_.load(std::memory_order_relaxed);
  signals_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!signals_.valid()) return system_error("no descriptor to be polled: eventfd", errno);
  if (wake_fd != kNobodySleeps) RONDO_TRY(open_sleep(wake_fd));
  ended_.store(0, std::memory_order_relaxed);
  const int descriptor = wake_fd == kNobodySleeps ? signals_.get() : either_.get();
  descriptor_.store(descriptor, std::memory_order_release);
  return descriptor;
}

Status Readiness::open_sleep(int wake_fd) {
  either_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!either_.valid()) return system_error("no descriptor to be polled: epoll_create1", errno);
  timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer_.valid()) return system_error("no descriptor to be polled: timerfd_create", errno);
  RONDO_TRY(watch(either_.get(), signals_.get(), EPOLLIN));
  RONDO_TRY(watch(either_.get(), timer_.get(), EPOLLIN));
  // While nobody sleeps peers may ring all the same, for nothing that the loop has to look at.
  RONDO_TRY(watch(either_.get(), wake_fd, 0));
  wake_fd_ = wake_fd;
  return {};
}

void Readiness::ended() {
  if (!is_open()) return;
  // Before the signal: who has read it finds the call counted.
  ended_.fetch_add(1, std::memory_order_release);
  signal();
}

void Readiness::signal() {
  // It can fail only where it is readable already.
  static_cast<void>(!::eventfd_write(signals_.get(), 1));
}

std::size_t Readiness::take() {
  eventfd_t signals = 0;
  static_cast<void>(!::eventfd_read(signals_.get(), &signals));
  return ended_.exchange(0, std::memory_order_acquire);
}

void Readiness::arm(std::int64_t most_ms) { set(EPOLLIN, most_ms); }

void Readiness::disarm() { set(0, 0); }

/// Neither can fail: what is changed is there already.
void Readiness::set(std::uint32_t events, std::int64_t most_ms) {
  epoll_event event{.events = events, .data = {.fd = wake_fd_}};
  ::epoll_ctl(either_.get(), EPOLL_CTL_MOD, wake_fd_, &event);
  // No time at all stops the timer, and it is no longer readable.
  const itimerspec time{
      .it_interval = {},
      .it_value = {.tv_sec = most_ms / 1000, .tv_nsec = most_ms % 1000 * 1'000'000}};
  ::timerfd_settime(timer_.get(), 0, &time, nullptr);
}

}  // namespace rondo::communicator
