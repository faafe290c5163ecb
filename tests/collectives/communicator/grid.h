#pragma once

// The settings that every collective is tried with, and the trying: what the grids of places of one
// process (grid_test.cc) and of processes (grid_ranks.cc) share. Failures are gtest's.

#include <cstddef>
#include <string>
#include <vector>

#include "rondo/communicator.h"

namespace rondo::testing {

struct Setting {
  int world = 1;
  std::size_t count = 0;
  DataType dtype = DataType::kF32;
  ReduceOp op = ReduceOp::kSum;
  bool in_place = true;
  bool registered = true;  ///< on host places: else from the heap
};

/// Counts around the world's size, types and ops, in place and out of place, registered and not:
/// pairwise (each pair of settings of any two axes occurs), or the full product of counts, types
/// and ops where RONDO_TEST_ALL is set (`scripts/test --all`).
std::vector<Setting> settings_for(int world);

/// Calls all collectives on this rank's data and checks every element of every result.
/// The bytes of the all-reduce's result, to be compared between ranks and runs.
std::string every_collective(Communicator& rank, const Setting& setting);

/// The all-reduce alone.
std::string all_reduce_again(Communicator& rank, const Setting& setting);

}  // namespace rondo::testing
