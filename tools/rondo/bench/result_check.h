#pragma once

// What one rank's output of a call must hold, element by element: the inputs are known, and exactly
// representable.
// Threads: any.

#include <cstddef>
#include <cstdint>

#include "tools/rondo/bench/layout.h"

namespace rondo::tool {

class ResultCheck {
 public:
  /// `output` is borrowed.
  ResultCheck(const CallSpec& spec, int world, int rank, std::uint64_t salt,
              const std::byte* output)
      : spec_(spec),
        world_(world),
        rank_(rank),
        salt_(salt),
        output_(output),
        layout_(layout_of(spec, world, rank)) {}

  std::uint64_t count_wrong_elements() const;

 private:
  /// The whole output is the sum of the inputs from element `first` on.
  std::uint64_t wrong_sums(std::size_t first) const;
  /// The whole output is the input of rank `of` from element `first` on.
  std::uint64_t wrong_copies(int of, std::size_t first) const;
  /// `count` elements of the output from `at` on are the input of rank `of` from `first` on.
  std::uint64_t wrong_copy(int of, std::size_t first, std::size_t at, std::size_t count) const;
  /// The output has a part of every rank, one behind the other.
  std::uint64_t wrong_parts() const;
  /// The same, each from where its rank's parts for the ranks before this one end.
  std::uint64_t wrong_exchange() const;

  const CallSpec& spec_;
  int world_;
  int rank_;
  std::uint64_t salt_;
  const std::byte* output_;
  Layout layout_;
};

}  // namespace rondo::tool
