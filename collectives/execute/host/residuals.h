#pragma once

// What a plan's roundings have lost, for each pair of buffers that it runs with: as many floats as
// the plan rounds, kept from call to call. The least recently used pair's are given up when there
// are too many pairs; what they lost is lost then.
//
// Buffers are told apart by their addresses. A buffer that is freed, and another made in its place,
// inherits what was lost, which is at most one rounding of each element.
// Threads: one at a time. Only the first call with a buffer allocates.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace rondo::execute {

class Residuals {
 public:
  /// `count`: floats for each pair of buffers; 0: none are kept.
  explicit Residuals(std::size_t count) : count_(count) {}

  /// Null where none are kept, or there is no memory for them (which is logged).
  float* of(const void* input, const void* output);

  /// Pairs of buffers that are kept: as many as 2 GiB hold, but 4 at least and 64 at most.
  std::size_t most() const;

 private:
  struct Entry {
    const void* input = nullptr;
    const void* output = nullptr;
    std::shared_ptr<std::byte[]> memory;
    std::uint64_t used = 0;  ///< larger: later
  };
  static float* floats_of(const Entry& entry) {
    return reinterpret_cast<float*>(entry.memory.get());
  }
  Entry& entry_for_new();

  std::size_t count_;
  std::vector<Entry> entries_;
  std::uint64_t uses_ = 0;
};

}  // namespace rondo::execute
