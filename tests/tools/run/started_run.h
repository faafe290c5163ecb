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
  /// The words after "run". Its stdin is empty. Of SIGHUP, SIGINT and SIGTERM it ignores those in
  /// `ignored` alone, whatever this process does.
  explicit StartedRun(std::vector<std::string> words, const std::vector<int>& ignored = {});
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

/// What is seen on a terminal that stops whoever writes to it in the background (stty tostop). A
/// run that stands still is killed after a while.
std::string on_stopping_terminal(std::vector<std::string> words);

/// `ranks` times /bin/sh with `script`.
std::vector<std::string> shells(int ranks, const std::string& script);

/// The lines of `text`, sorted: ranks write in any order.
std::vector<std::string> sorted_lines(const std::string& text);

/// The process id that follows `word` in `text`.
pid_t pid_after(const std::string& text, const std::string& word);

/// True once no process with this id is left; waits a while for that.
bool ends(pid_t pid);

}  // namespace rondo::tool
