// What a turn of a core costs: two processes on each core that yield until the other has had its
// turn. Of ranks that share a core a short collective takes two of them at least
// (docs/performance.md). Between two windows of turns each core adds for a moment: where that takes
// longer as well it is the core that is slower, as one whose other thread is busy, and no library
// can be as fast on it as before. All cores at once (of `taskset`, if told).
//   turns [SECONDS]      a line for each core (2)

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

#include "core/topology.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr long kTurnsOfWindow = 500;

struct alignas(128) Core {
  std::atomic<long> turns{0};
  std::atomic<bool> is_over{false};
};

struct Window {
  double turn_us = 0;
  double addition_ns = 0;  ///< of eight, in four chains
};

double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

double time_additions() {
  constexpr int kRounds = 2000;
  std::array<unsigned long, 4> sums{1, 2, 3, 4};
  const auto begin = Clock::now();
  for (int round = 0; round < kRounds; ++round) {
    for (unsigned long& sum : sums) {
      sum += 7;
      asm volatile("" : "+r"(sum));
      sum += 7;
      asm volatile("" : "+r"(sum));
    }
  }
  return since(begin) * 1000 / kRounds;
}

bool wait_for_turn(const Core& core, long mine) {
  while (core.turns.load(std::memory_order_acquire) != mine) {
    if (core.is_over.load(std::memory_order_relaxed)) return false;
    sched_yield();
  }
  return true;
}

/// The odd turns, until somebody else says that it is over.
[[noreturn]] void take_odd_turns(Core& core) {
  for (long mine = 1; wait_for_turn(core, mine); mine += 2)
    core.turns.store(mine + 1, std::memory_order_release);
  ::_exit(0);
}

std::vector<Window> take_even_turns(Core& core, double seconds) {
  std::vector<Window> windows;
  const auto begin = Clock::now();
  for (long mine = 0; since(begin) < seconds * 1e6;) {
    const auto window = Clock::now();
    for (const long last = mine + kTurnsOfWindow; mine < last; mine += 2) {
      wait_for_turn(core, mine);
      core.turns.store(mine + 1, std::memory_order_release);
    }
    windows.push_back({since(window) / kTurnsOfWindow, time_additions()});
  }
  core.is_over = true;
  return windows;
}

void print(int core, std::vector<Window> windows) {
  std::ranges::sort(windows, {}, &Window::turn_us);
  std::printf("core %d: a turn takes", core);
  const char* separator = "";
  for (const double quantile : {0.1, 0.5, 0.9}) {
    const auto at = static_cast<std::size_t>(quantile * static_cast<double>(windows.size() - 1));
    const std::size_t first = at - std::min<std::size_t>(at, windows.size() / 20);
    const std::size_t last = std::min(at + windows.size() / 20 + 1, windows.size());
    std::vector<double> additions;
    for (std::size_t i = first; i < last; ++i) additions.push_back(windows[i].addition_ns);
    std::ranges::sort(additions);
    std::printf("%s %.2f us (additions %.2f ns)", separator, windows[at].turn_us,
                additions[additions.size() / 2]);
    separator = ",";
  }
  std::printf("; a tenth, half and nine tenths of %zu windows\n", windows.size());
}

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  ::_exit(1);
}

/// Whether this is the child, which doesn't outlive its parent.
bool is_child() {
  const pid_t child = ::fork();
  if (child < 0) give_up("turns: no process");
  if (child == 0) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return child == 0;
}

/// By a process of its own, which prints.
void measure(Core& shared, int core, double seconds) {
  if (!is_child()) return;
  if (const auto bound = rondo::bind_current_thread(core); !bound.ok()) {
    std::fprintf(stderr, "turns: %s\n", bound.message().c_str());
    ::_exit(1);
  }
  if (is_child()) take_odd_turns(shared);
  print(core, take_even_turns(shared, seconds));
  std::fflush(stdout);
  ::wait(nullptr);
  ::_exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::max(0.1, std::atof(argv[1])) : 2;
  const auto allowed = rondo::cores_of_this_thread();
  if (!allowed.ok()) {
    std::fprintf(stderr, "turns: %s\n", allowed.status().message().c_str());
    return 1;
  }
  const std::vector<int>& cores = *allowed;
  void* const pages = ::mmap(nullptr, cores.size() * sizeof(Core), PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) {
    std::perror("turns: no shared page");
    return 1;
  }
  Core* const shared = new (pages) Core[cores.size()];
  for (std::size_t i = 0; i < cores.size(); ++i) measure(shared[i], cores[i], seconds);
  bool failed = false;
  for (int status = 0; ::wait(&status) > 0;) failed |= status != 0;
  return failed ? 1 : 0;
}
