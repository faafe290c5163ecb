#pragma once

// A file that a flag names, like --json. It is opened before anything is measured, so that nobody
// waits for results that can't be kept, and what it held stays until the new results are there.
// Threads: one at a time.

#include <cstdio>
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

  /// Replaces what the file holds; called once. Errors: std::runtime_error.
  void write(std::string_view text);

 private:
  const std::string flag_;
  const std::string path_;
  bool is_new_ = false;
  std::FILE* file_ = nullptr;
};

}  // namespace rondo::tool
