// What a turn of a core costs: two processes on one core that each yield until the other has had
// its turn. Of ranks that share a core a short collective takes two of them at least
// (docs/performance.md).
//   turns [TURNS]      prints the median of nine runs, in microseconds (100000)

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

constexpr int kRuns = 9;

using Turns = std::atomic<long>;

void stay_on_first_core() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(0, &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

/// The even turns are the first process's, the odd ones the second's.
void take_turns(Turns& turns, long first, long last) {
  for (long mine = first; mine < last; mine += 2) {
    while (turns.load(std::memory_order_acquire) != mine) sched_yield();
    turns.store(mine + 1, std::memory_order_release);
  }
}

/// Negative where there is no second process.
double run(Turns& turns, long count) {
  turns = 0;
  const pid_t other = ::fork();
  if (other < 0) return -1;
  if (other == 0) {
    take_turns(turns, 1, count);
    ::_exit(0);
  }
  const auto begin = std::chrono::steady_clock::now();
  take_turns(turns, 0, count);
  ::waitpid(other, nullptr, 0);
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
  return spent.count() / static_cast<double>(count);
}

}  // namespace

int main(int argc, char** argv) {
  const long count = argc > 1 ? std::max(2L, std::atol(argv[1])) : 100'000;
  void* const shared =
      ::mmap(nullptr, sizeof(Turns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    std::perror("turns: no shared page");
    return 1;
  }
  auto& turns = *new (shared) Turns(0);
  stay_on_first_core();
  std::array<double, kRuns> us{};
  for (double& one : us) {
    one = run(turns, count);
    if (one < 0) {
      std::perror("turns: no second process");
      return 1;
    }
  }
  std::ranges::nth_element(us, us.begin() + kRuns / 2);
  std::printf("a turn of a core: %.2f us\n", us[kRuns / 2]);
}
