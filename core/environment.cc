#include "core/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace rondo {
namespace {

Status bad_value(const char* name, const std::string& value, const std::string& allowed) {
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("environment variable {}=\"{}\" is not understood: allowed is {}", name,
                            value, allowed));
}

constexpr std::array<std::string_view, 4> kYes = {"1", "on", "true", "yes"};
constexpr std::array<std::string_view, 4> kNo = {"0", "off", "false", "no"};

}  // namespace

std::optional<std::string> environment_text(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

Result<std::int64_t> environment_integer(const char* name, std::int64_t fallback,
                                         IntegerRange range) {
  const std::optional<std::string> text = environment_text(name);
  if (!text) return fallback;
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || stop != end || value < range.lowest || value > range.highest) {
    return bad_value(name, *text,
                     fmt::format("an integer from {} to {}", range.lowest, range.highest));
  }
  return value;
}

Result<bool> environment_flag(const char* name, bool fallback) {
  const std::optional<std::string> text = environment_text(name);
  if (!text) return fallback;
  if (std::ranges::find(kYes, *text) != kYes.end()) return true;
  if (std::ranges::find(kNo, *text) != kNo.end()) return false;
  return bad_value(name, *text,
                   fmt::format("{} or {}", fmt::join(kYes, ", "), fmt::join(kNo, ", ")));
}

}  // namespace rondo
