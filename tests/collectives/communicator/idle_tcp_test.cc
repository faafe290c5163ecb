// The call behind a pause, over TCP: what a late acknowledgement told the kernel of the link
// doesn't slow it down. (A connection that the kernel paces took ten times as long, and four calls
// to get over it.)

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "core/cgroup.h"
#include "core/topology.h"
#include "core/unique_fd.h"
#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

constexpr std::size_t kFloats = 256 * 1024;
constexpr std::size_t kCalls = 16;
constexpr std::size_t kRounds = 7;

/// Of the slowest rank.
double us_of_call(Communicator& rank, std::vector<float>& values) {
  std::ranges::fill(values, 1.0F);
  rank.barrier();
  const auto start = std::chrono::steady_clock::now();
  rank.all_reduce({values.data(), values.size()});
  double us =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  rank.all_reduce({&us, 1}, ReduceOp::kMax);
  return us;
}

double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times.at(times.size() / 2);
}

bool may_leave_pacing() {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM, 0));
  return ::setsockopt(socket.get(), IPPROTO_TCP, TCP_CONGESTION, "cubic", 5) == 0;
}

TEST(IdleTcp, TheCallBehindAPause_IsNotMuchSlower) {
  if (!may_leave_pacing()) GTEST_SKIP() << "this process may not choose cubic";
  if (usable_cores(std::thread::hardware_concurrency(), read_cpu_quota()) < 2)
    GTEST_SKIP() << "two ranks on one core take turns";
  std::array<std::vector<double>, kCalls> times;
  spawn({.size = 2, .transport = "tcp"}, [&](Communicator& rank) {
    std::vector<float> values(kFloats);
    for (std::size_t round = 0; round < kRounds; ++round) {
      rank.barrier();
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      for (auto& of_call : times) {
        const double us = us_of_call(rank, values);
        if (rank.rank() == 0) of_call.push_back(us);
      }
    }
  });
  EXPECT_LT(median(times.front()), 4 * median(times.back()));
}

}  // namespace
}  // namespace rondo::testing
