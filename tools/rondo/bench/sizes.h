#pragma once

// Sizes on the command line ("8", "64K", "1M") and the sequence of sizes that a run goes through.
// Threads: any.

#include <cstdint>
#include <string_view>
#include <vector>

namespace rondo::tool {

/// Bytes, rounded down: "8", "64K", "0.5G", "128MB", "1MiB". K, M and G are powers of 1024, as in
/// nccl-tests; capitals don't matter. Errors: UsageError, naming `flag`.
std::uint64_t parse_size(std::string_view flag, std::string_view text);

struct SizeRange {
  std::uint64_t first_bytes = 8;
  std::uint64_t last_bytes = 64ULL << 20;
  std::uint64_t factor = 2;      ///< used where step_bytes is 0
  std::uint64_t step_bytes = 0;  ///< added instead of multiplying
};

/// first, first * factor (or + step), ... up to and including last. A range that starts at 0 and
/// multiplies goes on with 1. Errors: UsageError (last < first, factor < 2).
std::vector<std::uint64_t> sizes_of(const SizeRange& range);

}  // namespace rondo::tool
