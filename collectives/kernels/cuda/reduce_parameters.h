#pragma once

// What a reduce kernel is told: the one parameter, passed by value, of each of them.

#include <cstdint>

namespace rondo::kernels::cuda {

struct ReduceParameters {
  static constexpr std::uint32_t kMostPointers = 120;

  void* pointers[kMostPointers];  ///< the sources in their order, then the targets
  std::uint32_t sources;
  std::uint32_t targets;
  std::uint64_t count;  ///< elements
  std::int32_t divisor;
};

/// Threads of a block, for which the kernels are compiled.
inline constexpr unsigned int kReduceThreads = 256;

}  // namespace rondo::kernels::cuda
