#pragma once

#include <sched.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace bench {

/// Of the first of the variables that launchers set (Rondo's, Open MPI's, MPICH's); null: none is.
inline const char* first_variable(const char* of_rondo, const char* of_ompi, const char* of_mpich) {
  for (const char* const name : {of_rondo, of_ompi, of_mpich})
    if (const char* const value = std::getenv(name); value != nullptr) return value;
  return nullptr;
}

/// Core by core, and from the first again where ranks outnumber them: a kernel that places four
/// ranks on two cores leaves three on one for a tenth of a second now and then, which takes a short
/// call twice as long. Not under RONDO_PEERS_BIND=none. Gloo's aren't bound: its thread that serves
/// the sockets would share its rank's core, and 1 KiB takes 4 ms instead of 0.2.
inline void bind_to_own_core() {
  const char* const rank =
      first_variable("RONDO_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID");
  const char* const bind = std::getenv("RONDO_PEERS_BIND");
  if (rank == nullptr || (bind != nullptr && std::string_view(bind) == "none")) return;
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0 || CPU_COUNT(&cores) < 2) return;
  int left = std::atoi(rank) % CPU_COUNT(&cores);
  std::size_t core = 0;
  while (!CPU_ISSET(core, &cores) || left-- > 0) ++core;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

}  // namespace bench
