#pragma once

// Index arithmetic of Bruck's algorithms and of parallel aggregated trees, in which ranks talk over
// distances that are powers of two.

#include <vector>

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

/// Aggregated trees: the numbers that have one `distance` further on as their child.
inline std::vector<int> pat_parents(int distance, int world) {
  std::vector<int> numbers;
  for (int number = 0; number + distance < world; number += 2 * distance) numbers.push_back(number);
  return numbers;
}

}  // namespace rondo::algorithms
