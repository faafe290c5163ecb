#include "collectives/communicator/readiness.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace rondo::communicator {

Readiness::~Readiness() {
  if (const int descriptor = descriptor_.load(std::memory_order_relaxed); descriptor >= 0)
    ::close(descriptor);
}

Result<int> Readiness::open() {
  if (is_open()) return descriptor_.load(std::memory_order_relaxed);
  const int descriptor = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0) {
    return Status(ErrorCode::kSystem,
                  fmt::format("no descriptor to be polled: {}", std::strerror(errno)));
  }
  ended_.store(0, std::memory_order_relaxed);
  descriptor_.store(descriptor, std::memory_order_release);
  return descriptor;
}

void Readiness::ended() {
  if (!is_open()) return;
  // Before the signal: who has read it finds the call counted.
  ended_.fetch_add(1, std::memory_order_release);
  signal();
}

void Readiness::signal() {
  const std::uint64_t one = 1;
  // It can fail only where it is readable already.
  static_cast<void>(!::write(descriptor_.load(std::memory_order_relaxed), &one, sizeof one));
}

std::size_t Readiness::take() {
  std::uint64_t signals = 0;
  static_cast<void>(!::read(descriptor_.load(std::memory_order_relaxed), &signals, sizeof signals));
  return ended_.exchange(0, std::memory_order_acquire);
}

}  // namespace rondo::communicator
