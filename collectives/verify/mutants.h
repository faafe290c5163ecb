#pragma once

// Mutants of every built-in algorithm, and what became of them: the test of the verifier itself.

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/verify/mutate.h"

namespace rondo::verify {

/// Counts of one kind of wrong. A mutant is either caught by the verifier, or accepted; accepted
/// ones are run in every order (explore.h), which shows them to be as good as the original, or
/// missed. Sampled are those with too many orders to look at all: the test allows none.
struct MutantCount {
  Mutation mutation = Mutation::kDropOp;
  std::uint64_t mutants = 0;
  std::uint64_t caught = 0;
  std::uint64_t equivalent = 0;
  std::uint64_t sampled = 0;
  std::uint64_t missed = 0;
  std::string first_missed;  ///< the algorithm, world and seed of the first one; empty: none
};

struct MutantOptions {
  std::vector<int> worlds = {2, 3, 4, 5, 8};
  int seeds = 16;  ///< mutants per algorithm, world and kind of wrong
};

/// One entry per Mutation, in order.
std::vector<MutantCount> count_mutants(const MutantOptions& options);

}  // namespace rondo::verify
