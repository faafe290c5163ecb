#pragma once

// What a plan's roundings have lost, for each pair of buffers that it runs with: as many floats as
// the plan rounds, kept from call to call. Of more pairs than are kept the first ones go on, and
// the others run without: a program that goes round through all of its buffers would find none of
// them again if each took the place of the one used least recently. That one makes room once it has
// not been used for as long as all of them take to come by, some times over; what it lost is lost
// then.
//
// Buffers are told apart by their addresses. A buffer that is freed, and another made in its place,
// inherits what was lost, which is at most one rounding of each element.
// Threads: one at a time. Only the first call with a buffer allocates.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

namespace rondo::execute {

class Residuals {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{2} << 30;

  /// `count`: floats for each pair of buffers; 0: none are kept.
  explicit Residuals(std::size_t count, std::size_t most_bytes = kMostBytes)
      : count_(count), most_bytes_(most_bytes) {}

  /// Null where none are kept, or there is no room or no memory for them (which is logged, once).
  float* of(const void* input, const void* output);

  /// Pairs of buffers that are kept: as many as `most_bytes` hold, but 4 at least and 4,096 at
  /// most.
  std::size_t most() const;

 private:
  struct Pair {
    const void* input = nullptr;
    const void* output = nullptr;
    bool operator==(const Pair&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Pair& pair) const;
  };
  struct Entry {
    std::shared_ptr<std::byte[]> memory;
    std::uint64_t used = 0;  ///< larger: later
    float* floats() const { return reinterpret_cast<float*>(memory.get()); }
  };
  bool makes_room();
  void warn_once(const char* what, const std::string& why);

  std::size_t count_;
  std::size_t most_bytes_;
  std::unordered_map<Pair, Entry, Hash> entries_;
  std::uint64_t uses_ = 0;
  bool has_warned_ = false;
};

}  // namespace rondo::execute
