#pragma once

// What a rank does of a collective once all have laid down where their memory is: it reads and
// writes theirs, too. In a stream's thread. All return false where a rank's memory isn't there, or
// not so large.

#include <cstddef>
#include <vector>

#include "examples/custom_device/meeting.h"
#include "examples/custom_device/reduce.h"

namespace custom_cpu {

/// Of all ranks' inputs, `count` elements from `first` on are combined.
struct Part {
  HostKernel kernel = nullptr;
  std::size_t element_bytes = 0;
  std::size_t first = 0;
  std::size_t count = 0;
};
/// And go to a rank's output, there from that element on.
struct Target {
  int rank = 0;
  std::size_t first = 0;
};
/// Each rank's, of the elements that all combine together.
Part part_of(const Part& whole, const Seat& seat);
bool combine(const Seat& seat, const Part& part, const std::vector<Target>& targets);

/// Bytes of a rank's input to this rank's output, there from that byte on.
struct Copy {
  int from = 0;
  std::size_t bytes = 0;
  std::size_t first_byte = 0;
};
bool copy_input(const Seat& seat, const Copy& copy);

}  // namespace custom_cpu
