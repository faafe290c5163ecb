#pragma once

// What calls cost that were made before, all threads of the process together: linked with
// steady_cost.cc, which replaces pthread_mutex_lock, and allocation_count.cc, which replaces
// operator new, in a program of their own.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>

#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {

struct Cost {
  std::uint64_t allocations = 0;
  std::uint64_t locks = 0;
};

/// Since the program began.
Cost cost_so_far();

/// Until `all` threads have come here, counted from the beginning.
void meet(std::atomic<int>& arrived, int all);

/// Of three ranks together, in the cheapest of several blocks of rounds: queues and staging memory
/// grow to what the worst timing needs, and then stay. Each rank calls `round_of` with a `Round` of
/// its own.
template <typename Round, typename Function>
Cost cost_of(const std::string& transport, Function round_of) {
  constexpr int kBlocks = 10;
  constexpr int kRounds = 30;
  Cost least{~std::uint64_t{0}, ~std::uint64_t{0}};
  std::atomic<int> arrived = 0;
  spawn({.size = 3, .transport = transport}, [&](Communicator& rank) {
    Round round(rank);
    for (int block = 0; block < kBlocks; ++block) {
      // Counted by rank 0, while nobody does anything but calls.
      rank.barrier();
      const Cost before = cost_so_far();
      meet(arrived, 6 * block + 3);
      for (int i = 0; i < kRounds; ++i) round_of(round);
      meet(arrived, 6 * block + 6);
      if (rank.rank() != 0) continue;
      const Cost after = cost_so_far();
      least.allocations = std::min(least.allocations, after.allocations - before.allocations);
      least.locks = std::min(least.locks, after.locks - before.locks);
    }
  });
  return least;
}

}  // namespace rondo::testing
