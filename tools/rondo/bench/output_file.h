#pragma once

// A file that a flag names, like --json. It is opened before anything is measured, so that nobody
// waits for results that can't be kept, and what it held stays until the new results are there.
// Threads: one at a time.

#include <cstddef>
#include <string>
#include <string_view>

namespace rondo::tool {

class OutputFile {
 public:
  /// Errors: std::runtime_error (can't be written: why).
  OutputFile(std::string flag, std::string path);
  /// A file that wasn't there before and that nothing was written to goes again.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Replaces what the file holds, and closes it. Errors: std::runtime_error.
  void write(std::string_view text);
  /// Whether it can be written piece by piece: a pipe can't be, nor what standard output goes to.
  bool can_grow() const;
  /// Of a file that can grow: what it holds from `offset` on is `text` from now on, for whoever
  /// reads it, too. Errors: std::runtime_error.
  void put(std::size_t offset, std::string_view text);

 private:
  bool write_all(std::string_view text, std::size_t offset);

  const std::string flag_;
  const std::string path_;
  bool is_new_ = false;
  int file_ = -1;
};

}  // namespace rondo::tool
