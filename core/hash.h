#pragma once

// Tells texts apart that differ by mistake, not by malice. Threads: any.

#include <cstdint>
#include <string_view>

namespace rondo {

/// FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo), 64 bits.
constexpr std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t value = 14695981039346656037U;
  for (const char letter : text) {
    value ^= static_cast<unsigned char>(letter);
    value *= 1099511628211U;
  }
  return value;
}

}  // namespace rondo
