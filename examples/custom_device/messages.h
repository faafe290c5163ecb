#pragma once

// Messages between the ranks of a communicator: the receiver copies them out of the sender's
// memory.

#include <vector>

#include "examples/custom_device/meeting.h"
#include "examples/custom_device/memory.h"

namespace custom_cpu {

struct Message {
  int peer = 0;
  bool sends = false;
  MemoryName memory{};  ///< as many bytes as it has
};

/// All of them, in a stream's thread: those with one peer in their order, others in any. False
/// where somebody has given up, or the two ranks of a message mean different sizes.
bool exchange(const Seat& seat, const std::vector<Message>& messages);

}  // namespace custom_cpu
