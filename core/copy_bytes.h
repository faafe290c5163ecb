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

/// As std::memcpy.
inline void copy_bytes(void* target, const void* source, std::size_t bytes) {
  if (bytes < kLongCopyBytes) {
    std::memcpy(target, source, bytes);
  } else {
    copy_long_bytes(static_cast<std::byte*>(target), static_cast<const std::byte*>(source), bytes);
  }
}

}  // namespace rondo
