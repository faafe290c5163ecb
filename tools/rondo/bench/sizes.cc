#include "tools/rondo/bench/sizes.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "tools/rondo/bench/names.h"

namespace rondo::tool {
namespace {

int shift_of(char suffix) {
  switch (suffix) {
    case 'K':
    case 'k': return 10;
    case 'M':
    case 'm': return 20;
    case 'G':
    case 'g': return 30;
    default: return -1;
  }
}

}  // namespace

std::uint64_t parse_size(std::string_view flag, std::string_view text) {
  std::string_view digits = text;
  int shift = 0;
  if (!digits.empty() && (digits.back() < '0' || digits.back() > '9')) {
    shift = shift_of(digits.back());
    digits.remove_suffix(1);
  }
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = problem == std::errc() && end == digits.data() + digits.size();
  if (shift < 0 || !whole || value > std::numeric_limits<std::uint64_t>::max() >> shift) {
    throw UsageError(
        fmt::format("{}: '{}' is not a size; expected bytes as a whole number, with K, M or G for "
                    "powers of 1024",
                    flag, text));
  }
  return value << shift;
}

std::vector<std::uint64_t> sizes_of(const SizeRange& range) {
  if (range.last_bytes < range.first_bytes) {
    throw UsageError(fmt::format("-e {} is less than -b {}", range.last_bytes, range.first_bytes));
  }
  if (range.step_bytes == 0 && range.factor < 2) {
    throw UsageError(fmt::format("-f {}: the factor must be at least 2", range.factor));
  }
  std::vector<std::uint64_t> sizes;
  std::uint64_t bytes = range.first_bytes;
  while (true) {
    sizes.push_back(bytes);
    // Compared by what is left, so that nothing overflows at the end of the range.
    if (range.step_bytes > 0) {
      if (range.last_bytes - bytes < range.step_bytes) return sizes;
      bytes += range.step_bytes;
    } else {
      if (bytes > range.last_bytes / range.factor) return sizes;
      bytes = bytes == 0 ? 1 : bytes * range.factor;
    }
    if (bytes > range.last_bytes) return sizes;
  }
}

}  // namespace rondo::tool
