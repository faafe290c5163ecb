#pragma once

// How messages' bytes are copied.

#include <cstddef>
#include <cstring>

namespace rondo {

/// A copy of that many bytes takes several times as long as to read a clock.
inline constexpr std::size_t kLongCopyBytes = 4096;

/// What copies kLongCopyBytes and more.
using LongCopy = void (*)(std::byte* target, const std::byte* source, std::size_t bytes);
/// By memcpy, but for what makes that slow on some processors.
void copy_by_memcpy(std::byte* target, const std::byte* source, std::size_t bytes);
/// By vectors of a cache line each; null where the processor has none.
LongCopy copy_by_lines();
/// The fastest on this processor.
void copy_long_bytes(std::byte* target, const std::byte* source, std::size_t bytes);

/// By stores that leave the target's lines in this core's cache, for somebody who reads them soon,
/// where the processor has faster ones that don't (AMD's `rep movsb`).
void copy_into_cache(std::byte* target, const std::byte* source, std::size_t bytes);

/// Whether the processor can store past caches.
constexpr bool can_copy_past_caches() {
#if defined(__x86_64__)
  return true;
#else
  return false;
#endif
}
/// By stores that go to memory, past the caches of this core and of whoever has the target's lines,
/// where the processor can. What is stored behind it is seen behind it, as with plain stores.
void copy_past_caches(std::byte* target, const std::byte* source, std::size_t bytes);

/// As std::memcpy.
inline void copy_bytes(void* target, const void* source, std::size_t bytes) {
  if (bytes < kLongCopyBytes) {
    std::memcpy(target, source, bytes);
  } else {
    copy_long_bytes(static_cast<std::byte*>(target), static_cast<const std::byte*>(source), bytes);
  }
}

}  // namespace rondo
