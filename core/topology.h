#pragma once

// What this process may use of the machine it runs on. "Core" is a logical processor, named by the
// operating system's number; one that the affinity mask or the cpuset forbids is not listed.
// Threads: any.

#include <cstddef>
#include <optional>
#include <vector>

#include "core/status.h"

namespace rondo {

struct NumaNode {
  int index = 0;           ///< the operating system's number
  std::vector<int> cores;  ///< those of Topology::cores that are near it
};

struct Topology {
  std::vector<int> cores;
  /// Processor time that the control groups allow, in cores; nothing: no limit.
  std::optional<double> cpu_quota;
  std::vector<NumaNode> numa_nodes;  ///< at least one
  /// One instance's size; 0 where unknown.
  std::size_t l1d_cache_bytes = 0;
  std::size_t l2_cache_bytes = 0;
  std::size_t l3_cache_bytes = 0;
};

/// Threads that can really run at once: the cores, or the quota where that is less (rounded down:
/// a thread too many is throttled in the middle of its spin), and at least 1.
int usable_cores(std::size_t core_count, std::optional<double> cpu_quota);

/// The affinity mask of the calling thread (a microsecond). Errors: System.
Result<std::vector<int>> cores_of_this_thread();

/// Looks at the machine (milliseconds: keep the answer). Errors: System.
Result<Topology> read_topology();

/// From now on the calling thread runs on `core` only.
/// Errors: InvalidArgument (not one of Topology::cores), System.
Status bind_current_thread(int core);

}  // namespace rondo
