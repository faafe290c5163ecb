#pragma once

// Index arithmetic of Bruck's algorithms and of parallel aggregated trees, whose steps are
// hops (hops.h).

#include <vector>

namespace rondo::algorithms {

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
