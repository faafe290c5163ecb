#pragma once

// Checks that run where addresses are few.

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>

namespace rondo::transport {

/// What `check` returns in a forked child that may take `bytes` of addresses more than it has; -1
/// where the child doesn't come to its end.
template <typename Check>
int where_addresses_are_left(std::size_t bytes, Check check) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t most = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + bytes;
    const rlimit limit{.rlim_cur = most, .rlim_max = most};
    ::_exit(::setrlimit(RLIMIT_AS, &limit) == 0 ? check() : 100);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Whether so much could be mapped.
inline bool has_addresses(std::size_t bytes) {
  void* const start = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return false;
  return ::munmap(start, bytes) == 0;
}

/// Whether the limit is kept: qemu lets the programs that it runs have all addresses.
inline bool addresses_are_limited() {
  return where_addresses_are_left(std::size_t{64} << 20,
                                  [] { return has_addresses(std::size_t{1} << 30) ? 1 : 0; }) == 0;
}

}  // namespace rondo::transport
