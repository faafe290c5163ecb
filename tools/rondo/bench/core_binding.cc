#include "tools/rondo/bench/core_binding.h"

#include <sched.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace rondo::tool {
namespace {

/// A rank or a size that the launcher set; -1 where it didn't.
int launcher_number(const char* variable) {
  const char* text = std::getenv(variable);
  int number = -1;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), number);
  return number;
}

std::vector<int> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  }
  return cores;
}

}  // namespace

int local_rank() {
  for (const char* name :
       {"RONDO_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}) {
    if (const int number = launcher_number(name); number >= 0) return number;
  }
  return 0;
}

bool bind_to_own_core() {
  const int rank = launcher_number("RONDO_LOCAL_RANK");
  const int ranks = launcher_number("RONDO_LOCAL_WORLD");
  const std::vector<int> cores = allowed_cores();
  const bool enough = rank >= 0 && rank < ranks && static_cast<std::size_t>(ranks) <= cores.size();
  if (!enough) return false;
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(static_cast<std::size_t>(cores[static_cast<std::size_t>(rank)]), &own);
  return sched_setaffinity(0, sizeof(own), &own) == 0;
}

}  // namespace rondo::tool
