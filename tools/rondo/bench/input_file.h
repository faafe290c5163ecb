#pragma once

// A file of results that somebody names on the command line: whatever is in it, it is read or
// refused with one line, in bounded time and memory.
// Threads: any.

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/json/reader.h"

namespace rondo::tool {

/// A file that can't be used: which, and why, in one line.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::size_t kMostInputBytes = 16U << 20;

/// The text without control characters: whoever wrote it, it can be printed.
std::string one_line(std::string text);

/// What is in a regular file of at most kMostInputBytes. Errors: FileError.
std::string read_input(const std::string& path);

/// Hands `reader` the root of a text in JSON, which `path` stands for in errors. Errors: FileError:
/// no JSON, or the first mistake that the reader found, with its place.
void read_json(const std::string& path, std::string_view text,
               const std::function<void(json::Value root)>& reader);

/// What `read` makes of the file that `flag` names, which its errors begin with.
template <class Read>
auto read_named_by(std::string_view flag, const Read& read) {
  try {
    return read();
  } catch (const FileError& error) {
    throw FileError(std::string(flag) + ": " + error.what());
  }
}

}  // namespace rondo::tool
