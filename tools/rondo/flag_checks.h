#pragma once

// What flags of several commands are held to.

#include <CLI/CLI.hpp>
#include <string>

namespace rondo::tool {

/// What a shell makes of a variable that isn't set is no "not asked for".
inline CLI::Validator not_empty() {
  return {[](const std::string& text) { return text.empty() ? "expected more than ''" : ""; }, ""};
}

}  // namespace rondo::tool
