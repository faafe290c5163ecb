#pragma once

// Wakes a thread that sleeps on a descriptor. Whoever is to ring may outlive who slept: it is
// shared. Threads: any.

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/status.h"
#include "core/unique_fd.h"

namespace rondo {

class Bell {
 public:
  /// Errors: System.
  static Result<std::shared_ptr<Bell>> make() {
    UniqueFd descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!descriptor.valid()) return system_error("eventfd", errno);
    return std::make_shared<Bell>(std::move(descriptor));
  }
  explicit Bell(UniqueFd descriptor) : descriptor_(std::move(descriptor)) {}

  /// Readable from `ring` to `silence`.
  int descriptor() const { return descriptor_.get(); }
  // Neither can fail but where the bell is in the state already that is asked for.
  void ring() const { static_cast<void>(::eventfd_write(descriptor_.get(), 1)); }
  void silence() const {
    eventfd_t count = 0;
    static_cast<void>(::eventfd_read(descriptor_.get(), &count));
  }

 private:
  UniqueFd descriptor_;
};

}  // namespace rondo
