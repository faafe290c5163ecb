#pragma once

// How messages' bytes are copied.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rondo {

/// A copy of that many bytes takes several times as long as to read a clock.
inline constexpr std::size_t kLongCopyBytes = 4096;

/// As std::memcpy, which glibc does by `rep movsb` from 4 KiB on. AMD's Zen 3 and 4 take that byte
/// by byte where the target begins up to 63 bytes after the source, modulo a page: 1.9 GB/s instead
/// of 40 (glibc bug 30994). malloc's large blocks begin 16 bytes into a page, and slots at its
/// start, so that is what a message out of them would get. Shorter copies go by vector registers.
inline void copy_bytes(void* target, const void* source, std::size_t bytes) {
  constexpr std::uintptr_t kPage = 4096;
  constexpr std::uintptr_t kAliased = 64;
  constexpr std::size_t kPiece = 2048;
  const std::uintptr_t apart =
      (reinterpret_cast<std::uintptr_t>(target) - reinterpret_cast<std::uintptr_t>(source)) % kPage;
  if (apart == 0 || apart >= kAliased) {
    std::memcpy(target, source, bytes);
    return;
  }
  auto* const to = static_cast<std::byte*>(target);
  const auto* const from = static_cast<const std::byte*>(source);
  for (std::size_t offset = 0; offset < bytes; offset += kPiece) {
    const std::size_t left = bytes - offset;
    std::memcpy(to + offset, from + offset, left < kPiece ? left : kPiece);
  }
}

}  // namespace rondo
