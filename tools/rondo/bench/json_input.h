#pragma once

// JSON that somebody names on the command line: whatever is in the file, it is read or refused with
// one line, in bounded time and memory.
// Threads: any.

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rondo::tool {

/// A file that can't be used: which, and why, in one line.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::size_t kMostJsonBytes = 16U << 20;
inline constexpr int kMostJsonDepth = 32;

/// The text without control characters: whoever wrote it, it can be printed.
std::string one_line(std::string text);

/// A regular file of at most kMostJsonBytes, nested at most kMostJsonDepth deep. Errors: FileError.
nlohmann::json read_json(const std::string& path);

/// The same of `text`, which `name` stands for in errors.
nlohmann::json parse_json(const std::string& name, std::string_view text);

}  // namespace rondo::tool
