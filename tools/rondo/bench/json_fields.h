#pragma once

// One JSON object, read field by field: what isn't as it must be is FileError, which names the
// object and the field.
// Threads: any.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "tools/rondo/bench/json_input.h"

namespace rondo::tool {

class JsonFields {
 public:
  /// `object` is borrowed; `where` names it. Errors: FileError where it is no object.
  JsonFields(std::string where, const nlohmann::json& object);

  /// On one line, of at most 256 letters; `fallback` where it is missing, if one is given.
  std::string text(const char* name, const std::optional<std::string>& fallback = {}) const;
  /// From 0 on.
  std::uint64_t whole(const char* name) const;
  /// From `lowest` to `highest`; `lowest` where it is missing.
  int small(const char* name, int lowest, int highest) const;
  /// From 0 on, and of a size that a measurement can have.
  double measured(const char* name) const;
  bool flag(const char* name) const;

 private:
  const nlohmann::json* find(const char* name, bool may_be_missing) const;
  FileError wrong(const char* name, const std::string& wanted) const;

  std::string where_;
  const nlohmann::json& object_;
};

}  // namespace rondo::tool
