#pragma once

// The page docs/schedules.md: every built-in algorithm with its formula, a drawing, and where one
// becomes faster than another. Threads: any.

#include <filesystem>
#include <map>
#include <string>

namespace rondo::tool {

/// Files by their paths under docs/. `source`: the root of the checkout, whose comments describe
/// the algorithms and whose networks they are drawn and compared on. Errors: std::runtime_error: an
/// algorithm without a formula or a description; a formula that the schedule contradicts, and at
/// how many ranks.
std::map<std::string, std::string> schedules_page(const std::filesystem::path& source);

}  // namespace rondo::tool
