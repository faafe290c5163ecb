#pragma once

// The file that --json names. It is opened before anything is measured, so that nobody waits for
// results that can't be kept, and what it held stays until the new results are there.
// Threads: one at a time.

#include <cstdio>
#include <string>
#include <string_view>

namespace rondo::tool {

class JsonFile {
 public:
  /// Errors: std::runtime_error (can't be written: why).
  explicit JsonFile(std::string path);
  /// A file that wasn't there before and that nothing was written to goes again.
  ~JsonFile();
  JsonFile(const JsonFile&) = delete;
  JsonFile& operator=(const JsonFile&) = delete;

  /// Replaces what the file holds; called once. Errors: std::runtime_error.
  void write(std::string_view text);

 private:
  const std::string path_;
  bool is_new_ = false;
  std::FILE* file_ = nullptr;
};

}  // namespace rondo::tool
