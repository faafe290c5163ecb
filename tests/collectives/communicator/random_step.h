#pragma once

// One step of a random program: a call that all ranks make, drawn from a seed that all of them
// have.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rondo/collective.h"
#include "rondo/types.h"
#include "tests/collectives/communicator/values.h"

namespace rondo::testing {

/// Random numbers that are a function of a seed, a step and who draws: whoever draws more or fewer
/// of them in one step has the same ones in the next.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t step, std::uint64_t who)
      : state_(mix(mix(seed + 1) + mix(step * 1'000'003 + who))) {}

  /// From 0 to `limit` - 1.
  std::size_t below(std::size_t limit) {
    state_ += 0x9E3779B97F4A7C15ULL;
    return static_cast<std::size_t>(mix(state_) % limit);
  }
  bool once_in(std::size_t times) { return below(times) == 0; }

 private:
  std::uint64_t state_;
};

/// Draws that all ranks make alike; rank r's own ones are those of r + 1.
inline constexpr std::uint64_t kEveryRank = 0;

struct Step {
  enum class Way { kBlocking, kStarted, kPrepared };

  std::size_t first_index = 0;  ///< no two steps have the same elements
  Collective collective = Collective::kBarrier;
  bool uneven = false;  ///< by the call with counts of their own
  DataType dtype = DataType::kF32;
  ReduceOp op = ReduceOp::kSum;
  int root = 0;
  bool in_place = false;
  bool registered = false;
  Way way = Way::kBlocking;
  std::vector<std::size_t> counts;  ///< by rank

  std::size_t total() const;
  /// Where the part of `rank` begins.
  std::size_t first_of(int rank) const;
  /// What rank `from` has for rank `to` in an all-to-all.
  std::size_t between(int from, int to) const;
};

/// Step `number` of the program of `seed`, for a communicator of `ranks`.
Step draw_step(std::uint64_t seed, std::uint64_t number, int ranks);

std::string to_string(const Step& step);

}  // namespace rondo::testing
