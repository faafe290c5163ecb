// How long two cores take to exchange a line each: write one's own, wait for the other's, no
// library in between. The least that any call of two ranks in shared memory takes, and what tells
// where a hypervisor has put its virtual cores at the moment: on the two threads of one core (20 to
// 30 ns), on cores that share a cache (50 to 180) or on ones that don't (250 and more).
//   line_loop                    a median for each of five runs, in ns
//   line_loop CALL BYTES ...     a line as the loops through libraries print it, whatever they time

#include <algorithm>
#include <array>
#include <cstdio>

#include "two_processes.h"

namespace {

constexpr int kExchanges = 1'000;
constexpr std::size_t kRounds = 51;
constexpr std::size_t kRuns = 5;

/// What an exchange takes, run by run. `code`: not 0 where there are no two processes.
std::array<double, kRuns> exchanges_us(int& code) {
  std::array<double, kRuns> all{};
  for (double& us : all) {
    if (code != 0) break;
    code = rondo::bench::in_two_processes([&](rondo::bench::Pair& pair) {
      const auto nothing = [] {};
      const auto exchange = [&] {
        for (int i = 0; i < kExchanges; ++i) pair.meet();
      };
      us = pair.median_us(kRounds, nothing, exchange, nothing) / kExchanges;
    });
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  int code = 0;
  std::array<double, kRuns> all = exchanges_us(code);
  if (code != 0) return code;
  if (argc < 3) {
    for (const double us : all) std::printf("%.0f ns\n", us * 1e3);
    return 0;
  }
  std::ranges::sort(all);
  std::printf("%s,%s,%.3f,%.3f\n", argv[1], argv[2], all[kRuns / 2], all[0]);
  return 0;
}
