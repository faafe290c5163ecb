#include "tools/rondo/world_range.h"

#include <fmt/format.h>

#include <charconv>

#include "tools/rondo/bench/names.h"

namespace rondo::tool {
namespace {

constexpr int kLargestWorld = 65536;

/// The number that `text` is; 0 where it is none.
int number_of(std::string_view text) {
  int number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() ? number : 0;
}

}  // namespace

WorldRange parse_world_range(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view ends = text.substr(0, colon);
  const std::size_t dash = ends.find('-');
  const std::string_view last = dash == std::string_view::npos ? ends : ends.substr(dash + 1);
  const int step = colon == std::string_view::npos ? 1 : number_of(text.substr(colon + 1));
  const WorldRange range{number_of(ends.substr(0, dash)), number_of(last), step};
  if (range.first < 1 || range.last < range.first || range.last > kLargestWorld || step < 1 ||
      step > kLargestWorld) {
    throw UsageError(
        fmt::format("--worlds: '{}' is not a range of world sizes; expected N, FIRST-LAST or "
                    "FIRST-LAST:STEP within 1 to {}",
                    text, kLargestWorld));
  }
  return range;
}

}  // namespace rondo::tool
