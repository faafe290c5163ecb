#include "transport/rendezvous/environment_reader.h"

#include <fmt/format.h>

#include <charconv>

namespace rondo::rendezvous {
namespace {

Status malformed(const char* name, const std::string& value, const std::string& expected) {
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("{}='{}': expected {}", name, value, expected));
}

template <typename Number>
bool parse(const std::string& text, Number& number, int base) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc{} && stop == end;
}

}  // namespace

Result<std::string> EnvironmentReader::text(const char* name) const {
  const auto value = environment_(name);
  if (value && !value->empty()) return *value;
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("{} is not set, though other variables of {} are: set all of them, or "
                            "none for a world of one",
                            name, launcher_));
}

Result<int> EnvironmentReader::number(const char* name, NumberRange range) const {
  RONDO_ASSIGN(const std::string value, text(name));
  int number = 0;
  if (parse(value, number, 10) && number >= range.least && number <= range.most) return number;
  return malformed(name, value, fmt::format("a number from {} to {}", range.least, range.most));
}

Result<std::optional<int>> EnvironmentReader::optional_number(const char* name,
                                                              NumberRange range) const {
  if (!has(name)) return std::optional<int>();
  RONDO_ASSIGN(const int value, number(name, range));
  return std::optional<int>(value);
}

Result<std::uint64_t> EnvironmentReader::hex(const char* name) const {
  RONDO_ASSIGN(const std::string value, text(name));
  std::uint64_t number = 0;
  if (parse(value, number, 16)) return number;
  return malformed(name, value, "up to 16 hexadecimal digits, the same for all processes");
}

}  // namespace rondo::rendezvous
