#pragma once

// Checks that run in a process of their own, which may change what it sees of the machine.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

namespace rondo::rendezvous {

/// The text that `check` returns in a forked child.
template <typename Check>
std::string said_by_child(Check check) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string said = check();
    const auto written = ::write(ends[1], said.data(), said.size());
    ::_exit(written < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  std::array<char, 1024> buffer{};
  const auto got = ::read(ends[0], buffer.data(), buffer.size());
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_GE(got, 0);
  return {buffer.data(), static_cast<std::size_t>(got < 0 ? 0 : got)};
}

}  // namespace rondo::rendezvous
