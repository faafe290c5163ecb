#pragma once

// Asks for a cache line ahead of a store to it, so that the store needn't wait until another core
// has given the line up. A hint: it never faults.

#include <cstddef>

namespace rondo {

inline void prefetch_to_write(const std::byte* address) {
#if defined(__x86_64__)
  // By hand: for the baseline gcc makes a plain read of it, which leaves the other core its copy.
  asm volatile("prefetchw %0" : : "m"(*address));
#else
  __builtin_prefetch(address, 1);
#endif
}

}  // namespace rondo
