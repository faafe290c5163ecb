#pragma once

// The ranks that a run that is to end still waits for, as one line tells them.
// Pure. Threads: any.

#include <sys/types.h>

#include <string>
#include <vector>

namespace rondo::tool {

struct WaitedFor {
  int rank = 0;
  pid_t pid = 0;
};

/// "1 s after SIGINT still waiting for rank 0 (pid 71), rank 3 (pid 74); another SIGINT kills
/// them". Of many ranks it names the first few.
std::string describe_waiting(int number, const std::vector<WaitedFor>& ranks);

}  // namespace rondo::tool
