#pragma once

// Whether a bell rings, now or within some time.

#include <poll.h>

#include "core/bell.h"

namespace rondo {

inline bool is_rung(const Bell& bell, int timeout_ms = 0) {
  pollfd descriptor{.fd = bell.descriptor(), .events = POLLIN, .revents = 0};
  return ::poll(&descriptor, 1, timeout_ms) == 1;
}

}  // namespace rondo
