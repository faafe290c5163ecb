#pragma once

// When and how a rank of the launch tests dies.

#include <rondo/communicator.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
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

/// A thread that sends its own process a signal then, whatever that is doing.
inline std::jthread strike_at(double death, int signal) {
  return std::jthread([death, signal] {
    std::this_thread::sleep_for(std::chrono::duration<double>(death - seconds()));
    ::kill(::getpid(), signal);
  });
}

}  // namespace rondo::launch
