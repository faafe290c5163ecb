#pragma once

// Index arithmetic of Bruck's algorithms, in which ranks talk over distances that are powers of
// two.

#include "collectives/schedule/op.h"

namespace rondo::algorithms {

/// The rank `distance` further on the ring, or back; 0 <= distance <= world.
inline schedule::Rank bruck_after(schedule::Rank rank, int distance, int world) {
  return (rank + distance) % world;
}
inline schedule::Rank bruck_before(schedule::Rank rank, int distance, int world) {
  return (rank + world - distance) % world;
}

/// All-to-all: what is to move by `distance` moves first by its lowest bit, then by the next. How
/// far it has come before the step of `bit`.
inline int bruck_moved(int distance, int bit) { return distance & (bit - 1); }
/// Whether the step of `bit` is the last that moves it.
inline bool bruck_arrives(int distance, int bit) { return distance < 2 * bit; }
}  // namespace rondo::algorithms
