#include "tools/rondo/bench/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "tools/rondo/bench/names.h"

namespace rondo::tool {
namespace {

/// What a size is counted in; 0: `unit` is none.
std::uint64_t bytes_of(std::string_view unit) {
  if (unit.empty()) return 1;
  const std::string_view rest = unit.substr(1);
  constexpr std::array kRests = {std::string_view(), std::string_view("B"), std::string_view("b"),
                                 std::string_view("iB"), std::string_view("ib")};
  if (std::ranges::find(kRests, rest) == kRests.end()) return 0;
  switch (unit.front()) {
    case 'K':
    case 'k': return 1ULL << 10;
    case 'M':
    case 'm': return 1ULL << 20;
    case 'G':
    case 'g': return 1ULL << 30;
    default: return 0;
  }
}

/// The number that `digits` are, all of them.
template <class Number>
std::optional<Number> number_of(std::string_view digits) {
  Number value{};
  const char* const last = digits.data() + digits.size();
  const auto [end, problem] = std::from_chars(digits.data(), last, value);
  if (problem != std::errc() || end != last) return std::nullopt;
  return value;
}

/// Nothing where it is no size, or one that 64 bits don't hold.
std::optional<std::uint64_t> size_of_text(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::uint64_t unit = bytes_of(text.substr(digits));
  if (unit == 0) return std::nullopt;
  const auto whole = number_of<std::uint64_t>(text.substr(0, digits));
  if (whole && *whole <= std::numeric_limits<std::uint64_t>::max() / unit) return *whole * unit;
  constexpr double kMost = 1ULL << 63;
  const auto bytes = number_of<double>(text.substr(0, digits));
  if (!bytes || *bytes * static_cast<double>(unit) >= kMost) return std::nullopt;
  return static_cast<std::uint64_t>(*bytes * static_cast<double>(unit));
}

}  // namespace

std::uint64_t parse_size(std::string_view flag, std::string_view text) {
  if (const auto bytes = size_of_text(text)) return *bytes;
  throw UsageError(
      fmt::format("{}: '{}' is not a size; expected bytes as a number, with K, M or G for powers "
                  "of 1024",
                  flag, text));
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
