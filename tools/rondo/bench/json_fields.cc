#include "tools/rondo/bench/json_fields.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace rondo::tool {

using nlohmann::json;

JsonFields::JsonFields(std::string where, const json& object)
    : where_(std::move(where)), object_(object) {
  if (!object.is_object()) throw FileError(fmt::format("{} is no object", where_));
}

std::string JsonFields::text(const char* name, const std::optional<std::string>& fallback) const {
  constexpr std::size_t kMostLetters = 256;
  const json* value = find(name, fallback.has_value());
  if (value == nullptr) return *fallback;
  if (!value->is_string()) throw wrong(name, "a text");
  const auto& found = value->get_ref<const std::string&>();
  if (found.size() > kMostLetters) throw wrong(name, "of at most 256 letters");
  return one_line(found);
}

std::uint64_t JsonFields::whole(const char* name) const {
  const json& value = *find(name, false);
  if (!value.is_number_unsigned()) throw wrong(name, "a whole number from 0 on");
  return value.get<std::uint64_t>();
}

int JsonFields::small(const char* name, int lowest, int highest) const {
  const json* value = find(name, true);
  if (value == nullptr) return lowest;
  const bool fits = value->is_number_integer() && *value >= lowest && *value <= highest;
  if (!fits) throw wrong(name, fmt::format("a whole number from {} to {}", lowest, highest));
  return value->get<int>();
}

double JsonFields::measured(const char* name) const {
  constexpr double kHighest = 1e15;
  const json& value = *find(name, false);
  const double number = value.is_number() ? value.get<double>() : -1;
  if (number >= 0 && number <= kHighest) return number;
  throw wrong(name, fmt::format("a number from 0 to {:g}", kHighest));
}

bool JsonFields::flag(const char* name) const {
  const json& value = *find(name, false);
  if (!value.is_boolean()) throw wrong(name, "true or false");
  return value.get<bool>();
}

const json* JsonFields::find(const char* name, bool may_be_missing) const {
  const auto found = object_.find(name);
  if (found != object_.end()) return &*found;
  if (may_be_missing) return nullptr;
  throw FileError(fmt::format("{} has no '{}'", where_, name));
}

FileError JsonFields::wrong(const char* name, const std::string& wanted) const {
  return FileError(fmt::format("{}: '{}' must be {}", where_, name, wanted));
}

}  // namespace rondo::tool
