#pragma once

// A `rondo run` that a test has started, seen as a shell sees it: output, signals, exit code.

#include <sys/types.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace rondo::tool {

struct RunResult {
  int exit_code = 0;
  std::string out;
  std::string err;
};

class StartedRun {
 public:
  /// The words after "run". Its stdin is empty.
  explicit StartedRun(std::vector<std::string> words);
  ~StartedRun();

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// Waits until it has written `text` (to either stream).
  void wait_for_output(const std::string& text);
  /// Waits for its end.
  RunResult finish();

 private:
  struct Collected;

  pid_t pid_ = -1;
  std::unique_ptr<Collected> collected_;
};

/// Runs to the end.
RunResult run_to_end(std::vector<std::string> words);

/// `ranks` times /bin/sh with `script`.
std::vector<std::string> shells(int ranks, const std::string& script);

/// The lines of `text`, sorted: ranks write in any order.
std::vector<std::string> sorted_lines(const std::string& text);

/// True once no process with this id is left; waits a while for that.
bool ends(pid_t pid);

}  // namespace rondo::tool
