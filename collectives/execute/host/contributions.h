#pragma once

// Calls in which every rank tells its peers something at once, and that is all: what each
// contributes, and what a rank makes of it once it is here, where it lies. Either all contributions
// are combined in rank order (of a part of each, a reduce-scatter's) or parts of them are put one
// behind the other.
// Threads: one at a time.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "collectives/execute/host/drive.h"
#include "collectives/kernels/reduce.h"

namespace rondo::execute {

class Contributions {
 public:
  /// What is taken of one rank's contribution.
  struct Part {
    int rank = 0;
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };
  /// What depends on counts.
  struct Sizes {
    std::size_t count = 0;            ///< of elements that this rank combines
    std::size_t combined_offset = 0;  ///< of these in each contribution, in bytes
    /// Nothing is combined: the output is this of ranks' contributions, one behind the other.
    std::optional<std::vector<Part>> gathered{};
    /// Bytes that each rank contributes, where not all the same.
    std::vector<std::size_t> contributed_bytes{};
  };
  struct Inputs {
    int rank = 0;
    std::size_t ranks = 0;
    std::size_t element_bytes = 1;
    kernels::ReduceKernel kernel = nullptr;  ///< null where calls bring functions
    int divisor = 1;
  };

  Contributions(const Inputs& inputs, Sizes sizes);
  Contributions(const Contributions&) = delete;
  Contributions& operator=(const Contributions&) = delete;

  /// Between two calls.
  void set_sizes(Sizes sizes);

  std::size_t bytes_of(int rank) const {
    return sizes_.contributed_bytes.empty()
               ? bytes_
               : sizes_.contributed_bytes[static_cast<std::size_t>(rank)];
  }
  /// That are combined; or that each rank contributes, where nothing is said of single ones.
  std::size_t bytes() const { return bytes_; }
  /// Whether anything of that rank's is used.
  bool takes_of(int rank) const;
  bool are_gathered() const { return sizes_.gathered.has_value(); }
  bool are_combined() const { return !are_gathered() && bytes_ != 0; }
  /// Whether to gather them takes longer than to read a clock.
  bool are_much() const;

  /// A call begins: this rank's own is there.
  void begin(const Operands& operands) {
    operands_ = &operands;
    put(inputs_.rank, operands.input);
  }
  std::span<const std::byte> own() const { return {operands_->input, bytes_of(inputs_.rank)}; }
  void put(int rank, const std::byte* contribution) {
    sources_[static_cast<std::size_t>(rank)] = contribution + sizes_.combined_offset;
  }
  const Operands& operands() const { return *operands_; }
  /// All that is used is here. Errors: what a custom function threw.
  Status combine() {
    if (are_gathered()) {
      gather();
      return {};
    }
    return bytes_ == 0 ? Status() : reduce();  // a barrier has nothing
  }

 private:
  Status reduce();
  void gather();

  Inputs inputs_;
  Sizes sizes_;
  std::size_t bytes_ = 0;
  std::vector<const void*> sources_;  ///< by rank: what is used of its contribution, once here
  const Operands* operands_ = nullptr;
  void* target_ = nullptr;
  kernels::ReduceArguments arguments_;  ///< of every call, but for the target
};

}  // namespace rondo::execute
