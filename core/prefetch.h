#pragma once

// Asks for cache lines ahead. A hint: it never faults.

#include <cstddef>

#include "core/cache_line.h"

namespace rondo {

/// Ahead of a store, so that it needn't wait until another core has given the line up.
inline void prefetch_to_write(const std::byte* address) {
#if defined(__x86_64__)
  // By hand: for the baseline gcc makes a plain read of it, which leaves the other core its copy.
  asm volatile("prefetchw %0" : : "m"(*address));
#else
  __builtin_prefetch(address, 1);
#endif
}

/// The first lines of a long read, before the clock is read: a processor doesn't read on beyond
/// that, where it would otherwise have begun before it knew that it may.
inline void prefetch_to_read(const void* begin, std::size_t bytes) {
  constexpr std::size_t kLines = 4;
  if (bytes < kLines * kCacheLineBytes) return;
  const auto* const memory = static_cast<const std::byte*>(begin);
  for (std::size_t line = 0; line < kLines; ++line)
    __builtin_prefetch(memory + line * kCacheLineBytes);
}

}  // namespace rondo
