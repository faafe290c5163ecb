#pragma once

// What calls cost that were made before, all threads of the process together: linked with
// steady_cost.cc, which replaces what memory and locks are asked of in the C library, in a program
// of their own.

#include <atomic>
#include <cstdint>

#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {

struct Cost {
  std::uint64_t allocations = 0;  ///< operator new takes its memory from malloc, too
  std::uint64_t locks = 0;

  bool is_nothing() const { return allocations == 0 && locks == 0; }
};

/// Since the program began.
Cost cost_so_far();

/// Between two of those.
inline Cost operator-(const Cost& after, const Cost& before) {
  return {after.allocations - before.allocations, after.locks - before.locks};
}

/// Until `all` threads have come here, counted from the beginning.
void meet(std::atomic<int>& arrived, int all);

/// Blocks of rounds, until so many of them in a row have cost nothing. Queues and staging memory
/// grow to what the worst timing needs, and then stay: blocks that cost something come to an end.
/// Those of a path that allocates now and then don't.
class Blocks {
 public:
  static constexpr int kRounds = 30;
  static constexpr int kInARow = 10;
  static constexpr int kMost = 200;

  void add(const Cost& block) {
    ++blocks_;
    free_in_a_row_ = block.is_nothing() ? free_in_a_row_ + 1 : 0;
    if (!block.is_nothing()) last_ = block;
  }
  bool are_enough() const { return is_steady() || blocks_ == kMost; }
  /// Nothing, or what it comes to again and again.
  Cost cost() const { return is_steady() ? Cost{} : last_; }

 private:
  bool is_steady() const { return free_in_a_row_ == kInARow; }

  int blocks_ = 0;
  int free_in_a_row_ = 0;
  Cost last_;  ///< of the last block that had any
};

/// Of all ranks together. Each calls `round_of` with a `Round` of its own.
template <typename Round, typename Function>
Cost cost_of(const World& world, Function round_of) {
  Blocks blocks;
  std::atomic<int> arrived = 0;
  spawn(world, [&](Communicator& rank) {
    Round round(rank);
    for (int met = 0;;) {
      // Counted by rank 0, while nobody does anything but calls.
      rank.barrier();
      if (blocks.are_enough()) return;
      const Cost before = cost_so_far();
      meet(arrived, met += world.size);
      for (int i = 0; i < Blocks::kRounds; ++i) round_of(round);
      meet(arrived, met += world.size);
      if (rank.rank() == 0) blocks.add(cost_so_far() - before);
    }
  });
  return blocks.cost();
}

}  // namespace rondo::testing
