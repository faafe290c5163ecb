#pragma once

// For commands that make and drop schedules of large worlds, one after the other.

#include <malloc.h>

namespace rondo::tool {

/// Each takes about what the one before gave back: without this the system would clear the same
/// pages again and again.
inline void keep_freed_memory() {
  constexpr int kBytes = 32 << 20;  // the most that glibc takes for the threshold of mmap
  ::mallopt(M_MMAP_THRESHOLD, kBytes);
  ::mallopt(M_TRIM_THRESHOLD, 16 * kBytes);
}

}  // namespace rondo::tool
