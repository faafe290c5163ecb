#pragma once

// The call of a random program's step on one rank, with its memory, and what it must have made of
// it.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "rondo/communicator.h"
#include "tests/collectives/communicator/random_step.h"

namespace rondo::testing {

class RandomCall {
 public:
  virtual ~RandomCall() = default;

  virtual Call call() = 0;
  /// Writes the input of round `round`, and nonsense where the result will be.
  virtual void fill(std::size_t round) = 0;
  /// What is wrong with the result of the last round; empty: nothing.
  virtual std::string mistake() = 0;
  /// Of the bits of a result that all ranks have; 0 where each rank has its own.
  virtual std::uint64_t digest() = 0;
};

/// For `ranks`, on its place; barriers have no memory.
std::unique_ptr<RandomCall> make_call(const Communicator& ranks, const Step& step);

}  // namespace rondo::testing
