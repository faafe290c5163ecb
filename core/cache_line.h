#pragma once

// What processors move between caches at once.

#include <cstddef>

namespace rondo {

/// Of x86-64, and of most Arm processors. A constant of ours: memory that processes share is laid
/// out by it, so it can't be whatever each was compiled for.
inline constexpr std::size_t kCacheLineBytes = 64;

}  // namespace rondo
