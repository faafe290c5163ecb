#pragma once

// Programs that nobody wrote: calls of all collectives and messages, blocking, started and
// prepared, in the world and in a split of it, with ranks that are late and wait when they like.
// Every element of every result is compared with what it has to be.

#include <cstdint>
#include <string>

#include "rondo/communicator.h"

namespace rondo::testing {

struct RandomProgram {
  std::uint64_t seed = 0;
  int steps = 60;
  bool messages = true;  ///< between buffers of the host, whatever the places
  bool split =
      true;  ///< a second communicator, on which calls aren't moved on by waiting in the first
};

/// Runs it on this rank. Failures are gtest's. Returns a digest of the bits of all all-reduces of
/// `world`, which is the same on all ranks.
std::uint64_t run_program(Communicator& world, const RandomProgram& program);

}  // namespace rondo::testing
