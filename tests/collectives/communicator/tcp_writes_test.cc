// Over TCP a message is one call of the system: its header and its payload go out together.

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <vector>

#include "tests/collectives/communicator/spawn.h"

namespace {

std::atomic<int> writes = 0;

ssize_t counted(long result) {
  if (result > 0) ++writes;
  return result;
}

}  // namespace

/// In place of libc's, for the library too (which is why they are visible).
extern "C" __attribute__((visibility("default"))) ssize_t send(int socket, const void* data,
                                                               std::size_t bytes, int flags) {
  return counted(::syscall(SYS_sendto, socket, data, bytes, flags, nullptr, 0));
}
extern "C" __attribute__((visibility("default"))) ssize_t sendmsg(int socket, const msghdr* message,
                                                                  int flags) {
  return counted(::syscall(SYS_sendmsg, socket, message, flags));
}

namespace rondo::testing {
namespace {

constexpr int kCalls = 200;

/// Of each call of two ranks, which send each other a message each.
double writes_in_a_call(std::size_t bytes) {
  double result = 0;
  const World world{.size = 2, .transport = "tcp", .algorithm = "recursive_doubling"};
  spawn(world, [&](Communicator& rank) {
    std::vector<float> data(bytes / sizeof(float), 0.5F + static_cast<float>(rank.rank()));
    rank.all_reduce({data.data(), data.size()}, ReduceOp::kMax);
    rank.barrier();
    if (rank.rank() == 0) writes = 0;
    rank.barrier();
    for (int i = 0; i < kCalls; ++i) rank.all_reduce({data.data(), data.size()}, ReduceOp::kMax);
    rank.barrier();
    if (rank.rank() == 0) result = static_cast<double>(writes) / kCalls;
    EXPECT_EQ(data.back(), 1.5F);
    rank.barrier();
  });
  return result;
}

// By itself at once, through the queue, and a piece of a longer one. A few writes are those of the
// barriers, and of credit that no message took along; what doesn't fit a socket is written twice.
TEST(TcpWrites, AMessage_IsOneWrite) {
  for (const std::size_t bytes : {8U, 1024U, 32768U}) {
    const double each = writes_in_a_call(bytes);
    EXPECT_GE(each, 2.0) << bytes;
    EXPECT_LT(each, 3.0) << bytes << " bytes, two messages";
  }
}

}  // namespace
}  // namespace rondo::testing
