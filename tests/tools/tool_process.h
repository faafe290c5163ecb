#pragma once

// The program `rondo` as its users start it.

#include <filesystem>
#include <string>
#include <vector>

namespace rondo::tool {

struct Outcome {
  int exit_code = -1;
  std::string output{};  ///< stdout and stderr together
};

/// `rondo` with the arguments, which a shell reads.
Outcome rondo(const std::string& arguments);
/// The shell command line, in which $RONDO is the program.
Outcome shell(const std::string& command);

/// What somebody at a terminal sees.
std::string on_terminal(const std::vector<std::string>& words);

/// Exit code 2, and one line that has `message`.
void expect_usage_error(const std::string& arguments, const std::string& message);

/// A file that is there, empty, until the end.
class TemporaryFile {
 public:
  TemporaryFile();
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }
  void put(const std::string& text) const;
  std::string content() const;

 private:
  std::string path_;
};

}  // namespace rondo::tool
