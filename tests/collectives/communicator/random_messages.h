#pragma once

// Messages of a step of a random program: every rank sends some to one rank and receives as many
// from another, not in the order in which they were sent.

#include <memory>
#include <string>
#include <vector>

#include "rondo/communicator.h"
#include "tests/collectives/communicator/random_step.h"

namespace rondo::testing {

class RandomMessages {
 public:
  RandomMessages(const Communicator& ranks, std::uint64_t seed, std::uint64_t number);

  /// Starts them all, or makes blocking calls: every rank sends first, as short messages may.
  void make(Communicator& ranks, std::vector<Work>& works);
  /// What is wrong with those that were received; empty: nothing.
  std::string mistake() const;

 private:
  struct Message {
    int tag;
    std::vector<double> sent;
    std::vector<double> received;
    std::vector<double> wanted;
  };

  int to_;
  int from_;
  bool blocks_;
  std::vector<Message> messages_;
  std::vector<std::size_t> order_;  ///< in which they are received
};

}  // namespace rondo::testing
