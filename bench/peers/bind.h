#pragma once

#include <sched.h>

#include <cstdlib>
#include <cstring>

namespace bench {

/// mpirun binds its ranks where there are cores enough; `rondo run` doesn't, and nobody does under
/// RONDO_PEERS_BIND=none. Gloo's aren't bound: its thread that serves the sockets would share its
/// rank's core, and 1 KiB takes 4 ms instead of 0.2.
inline void bind_to_own_core() {
  const char* const rank = std::getenv("RONDO_LOCAL_RANK");
  const char* const ranks = std::getenv("RONDO_LOCAL_WORLD");
  const char* const bind = std::getenv("RONDO_PEERS_BIND");
  if (rank == nullptr || ranks == nullptr) return;
  if (bind != nullptr && std::strcmp(bind, "none") == 0) return;
  cpu_set_t cores;
  sched_getaffinity(0, sizeof cores, &cores);
  if (std::atoi(ranks) > CPU_COUNT(&cores)) return;
  CPU_ZERO(&cores);
  CPU_SET(std::atoi(rank), &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

}  // namespace bench
