#pragma once

#include <sched.h>

#include <cstdlib>

namespace bench {

/// mpirun binds its ranks where there are cores enough; `rondo run` doesn't.
inline void bind_to_own_core() {
  const char* const rank = std::getenv("RONDO_LOCAL_RANK");
  const char* const ranks = std::getenv("RONDO_LOCAL_WORLD");
  if (rank == nullptr || ranks == nullptr) return;
  cpu_set_t cores;
  sched_getaffinity(0, sizeof cores, &cores);
  if (std::atoi(ranks) > CPU_COUNT(&cores)) return;
  CPU_ZERO(&cores);
  CPU_SET(std::atoi(rank), &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

}  // namespace bench
