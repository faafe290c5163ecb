#pragma once

// Worlds that meet by an all-gather of the program's. One block of each process goes round, always
// and once: process 0's is the world's unique id, others' are empty, and the block of a process
// that can't take part says why, so that nobody waits for it.
// Threads: any.

#include <functional>
#include <string>

#include "rondo/rondo.h"

namespace rondo::c {

struct Meeting {
  rondo_all_gather_function all_gather = nullptr;
  void* context = nullptr;
  int process = 0;
  int processes = 1;
};

/// The world's unique id, on every process. `prepare` gives this process's block, an id or nothing;
/// what it throws is thrown here once all have been told.
/// Errors, with the process whose fault it is: its own one's, or the first other's that can't take
/// part, with its code; InvalidArgument (the numbers of processes: nothing is gathered, for nobody
/// knows how much); System (the all-gather failed, or lost the id).
std::string meet(const Meeting& meeting, const std::function<std::string()>& prepare);

}  // namespace rondo::c
