#pragma once

// Two processes, each on a core of its own, that do something at the same time, round by round: a
// round's time is the slower one's. For programs that measure what the system's ways cost.

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

namespace rondo::bench {

struct alignas(64) Line {
  std::atomic<std::uint64_t> value{0};
};

/// `count` of them in memory that a child shares; for the whole run. Null: no memory.
template <typename T>
T* make_shared_memory(std::size_t count) {
  void* const memory = ::mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  return memory == MAP_FAILED ? nullptr : new (memory) T[count];
}

/// One of the two.
class Pair {
 public:
  struct Side {
    Line arrived;
    double us = 0;
  };

  Pair(Side* sides, int rank) : own_(sides[rank]), peer_(sides[1 - rank]), rank_(rank) {
    go_to_core();
  }

  int rank() const { return rank_; }

  void meet() {
    own_.arrived.value.store(++meetings_, std::memory_order_release);
    for (unsigned int looks = 1; peer_.arrived.value.load(std::memory_order_acquire) < meetings_;
         ++looks)
      if (looks % kLooks == 0 && rank_ == 0 && ::waitpid(-1, nullptr, WNOHANG) > 0)
        give_up("the other process has ended");
  }

  [[noreturn]] static void give_up(const char* what) {
    std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno));
    std::exit(1);
  }

  /// The median of so many rounds of `act`, in microseconds; `prepare` comes before each and
  /// `check` behind it, untimed.
  template <typename Prepare, typename Act, typename Check>
  double median_us(std::size_t rounds, Prepare&& prepare, Act&& act, Check&& check) {
    using Clock = std::chrono::steady_clock;
    std::vector<double> times(rounds);
    for (double& time : times) {
      prepare();
      meet();
      const Clock::time_point start = Clock::now();
      act();
      meet();
      own_.us = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
      meet();
      time = std::max(own_.us, peer_.us);
      meet();
      check();
    }
    std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(rounds / 2));
    return times[rounds / 2];
  }

 private:
  static constexpr unsigned int kLooks = 1U << 24;

  /// The first or second of those that this process may run on.
  void go_to_core() const {
    cpu_set_t allowed;
    cpu_set_t own;
    CPU_ZERO(&own);
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) give_up("sched_getaffinity");
    int left = rank_;
    for (std::size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&own) == 0; ++core)
      if (CPU_ISSET(core, &allowed) && left-- == 0) CPU_SET(core, &own);
    if (::sched_setaffinity(0, sizeof own, &own) != 0) give_up("two processes need two cores");
  }

  Side& own_;
  Side& peer_;
  int rank_;
  std::uint64_t meetings_ = 0;
};

/// `run(pair)` in this process, which goes back to its cores afterwards, and in a child. What main
/// returns.
template <typename Run>
int in_two_processes(Run&& run) {
  Pair::Side* const sides = make_shared_memory<Pair::Side>(2);
  cpu_set_t cores;
  if (sides == nullptr || ::sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  const pid_t child = ::fork();
  if (child < 0) return 1;
  if (child == 0) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  Pair pair(sides, child == 0 ? 1 : 0);
  run(pair);
  if (child == 0) ::_exit(0);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::sched_setaffinity(0, sizeof cores, &cores);
  return status == 0 ? 0 : 1;
}

}  // namespace rondo::bench
