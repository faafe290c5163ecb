#pragma once

// When and how a rank of the launch tests dies.

#include <rondo/communicator.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

namespace rondo::launch {

inline double seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// All ranks share one machine, so one clock: they agree when one of them will die.
inline double time_of_death(Communicator& world) {
  double death = seconds() + 0.3;
  world.all_reduce({&death, 1}, ReduceOp::kMax);
  return death;
}

/// Sends this process the signal; how late is told before, as on a busy machine that may be much.
inline void strike(double death, int signal) {
  ::dprintf(STDOUT_FILENO, "dies %.0f ms late\n", (seconds() - death) * 1e3);
  ::kill(::getpid(), signal);
}

/// A thread that does so then, whatever the process is doing.
inline std::jthread strike_at(double death, int signal) {
  return std::jthread([death, signal] {
    std::this_thread::sleep_for(std::chrono::duration<double>(death - seconds()));
    strike(death, signal);
  });
}

/// What a survivor says: reporters_of (reporters.h) reads it.
inline void tell_of(double death, int culprit, const char* what) {
  std::printf("after %.0f ms: culprit %d: %s\n", (seconds() - death) * 1e3, culprit, what);
}

}  // namespace rondo::launch
