// How long two cores take to exchange a line each: write one's own, wait for the other's, no
// library in between. What the machine's mode is (docs/performance.md), and the least that any call
// of two ranks in shared memory takes.
//   line_exchange [RUNS]      a median for each run (5), as modes change from run to run

#include <cstdio>
#include <cstdlib>

#include "bench/two_processes.h"

namespace {

constexpr int kExchanges = 1'000;
constexpr std::size_t kRounds = 201;

void exchange(rondo::bench::Pair& pair) {
  for (int i = 0; i < kExchanges; ++i) pair.meet();
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 5;
  for (int run = 0; run < runs; ++run) {
    const int code = rondo::bench::in_two_processes([](rondo::bench::Pair& pair) {
      const auto nothing = [] {};
      const double us = pair.median_us(
          kRounds, nothing, [&] { exchange(pair); }, nothing);
      if (pair.rank() == 0) std::printf("%.0f ns\n", us * 1e3 / kExchanges);
      std::fflush(stdout);
    });
    if (code != 0) return code;
  }
  return 0;
}
