#pragma once

// Why `rondo run` can't start (or go on): one line for the user and the exit code.

#include <stdexcept>
#include <string>

namespace rondo::tool {

inline constexpr int kExitCannotRun = 1;
inline constexpr int kExitBadUsage = 2;
inline constexpr int kExitTimeout = 124;
inline constexpr int kExitNotExecutable = 126;
inline constexpr int kExitNotFound = 127;

class RunError : public std::runtime_error {
 public:
  RunError(int exit_code, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code) {}
  int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

/// kExitCannotRun with "<what>: <text of errno>".
RunError system_failure(const std::string& what, int errno_value);

}  // namespace rondo::tool
