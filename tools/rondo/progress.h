#pragma once

// On a terminal, how far a command has come. It goes to stderr, so that it is seen while tables go
// to a file.
// Threads: one at a time.

#include <string>

namespace rondo::tool {

class Progress {
 public:
  Progress();
  /// The line is empty again.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Writes `text`, which begins with "\r" to replace what was shown; nothing where stderr is no
  /// terminal.
  void show(const std::string& text) const;
  void clear() const;

 private:
  const bool shown_;
};

}  // namespace rondo::tool
