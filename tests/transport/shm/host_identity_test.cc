#include "transport/shm/host_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace rondo::transport {
namespace {

// What a forked child calls its host, after `before` has run there; empty if that failed.
template <typename Before>
std::string identity_in_child(Before before) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string text = before() ? host_identity() : std::string();
    const auto written = ::write(ends[1], text.data(), text.size());
    ::_exit(written < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  std::array<char, 1024> buffer{};
  const auto got = ::read(ends[0], buffer.data(), buffer.size());
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

TEST(HostIdentity, Processes_ofOneHost_areEqual) {
  EXPECT_EQ(host_identity(), host_identity());
  EXPECT_EQ(identity_in_child([] { return true; }), host_identity());
  EXPECT_THAT(host_identity(), testing::HasSubstr("net:["));
}

TEST(HostIdentity, Process_inAnotherIpcNamespace_differs) {
  const std::string other = identity_in_child([] { return ::unshare(CLONE_NEWIPC) == 0; });
  if (other.empty()) GTEST_SKIP() << "this user may not make namespaces";
  EXPECT_NE(other, host_identity());
}

/// Its first child is number 1 there, as in a container: of another such one it can't be told apart
/// by its number.
TEST(HostIdentity, Process_inAnotherPidNamespace_differs) {
  const std::string other = identity_in_child([] {
    if (::unshare(CLONE_NEWPID) != 0) return false;
    const pid_t first = ::fork();
    if (first == 0) return ::getpid() == 1;
    int status = 0;
    ::waitpid(first, &status, 0);
    ::_exit(0);
  });
  if (other.empty()) GTEST_SKIP() << "this user may not make namespaces";
  EXPECT_NE(other, host_identity());
  EXPECT_THAT(other, testing::HasSubstr("pid:["));
}

}  // namespace
}  // namespace rondo::transport
