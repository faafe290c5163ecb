#pragma once

// Bytes, times and numbers of things, as commands and drawings tell them to people. Threads: any.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace rondo {

/// "64 MiB", "1000 B"
inline std::string bytes_text(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return fmt::format("{:.4g} {}", value, kUnits[unit]);
}

struct TimeUnit {
  const char* name;
  double us;  ///< of one
};

/// The one that `us` is told in: 999.6 us are 1 ms, since three digits don't hold them as us.
inline TimeUnit time_unit_of(double us) {
  if (us < 999.5) return {"us", 1};
  if (us < 999'500) return {"ms", 1'000};
  return {"s", 1'000'000};
}

/// "3.25 us", "12.4 ms", "1.2 s"
inline std::string time_text(double us) {
  const TimeUnit unit = time_unit_of(us);
  const double value = us / unit.us;
  if (unit.us < 1'000'000) return fmt::format("{:.3g} {}", value, unit.name);
  return value < 9999.5 ? fmt::format("{:.4g} s", value) : fmt::format("{:.0f} s", value);
}

/// "1 rank", "8 ranks"
inline std::string count_text(std::int64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace rondo
