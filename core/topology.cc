#include "core/topology.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "core/cgroup.h"
#include "core/machine.h"

namespace rondo {
namespace {

using CoreSet =
    std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, decltype(&hwloc_bitmap_free)>;

std::vector<int> list(hwloc_const_bitmap_t set) {
  std::vector<int> cores;
  for (int core = hwloc_bitmap_first(set); core >= 0; core = hwloc_bitmap_next(set, core)) {
    cores.push_back(core);
  }
  return cores;
}

/// The affinity mask of the process's threads, less what the cpuset forbids.
Result<CoreSet> allowed_cores(hwloc_topology_t machine) {
  CoreSet allowed(hwloc_bitmap_alloc(), &hwloc_bitmap_free);
  if (!allowed) return system_error("hwloc_bitmap_alloc", ENOMEM);
  if (hwloc_get_cpubind(machine, allowed.get(), HWLOC_CPUBIND_PROCESS) != 0) {
    return system_error("reading the affinity mask", errno);
  }
  hwloc_bitmap_and(allowed.get(), allowed.get(), hwloc_topology_get_allowed_cpuset(machine));
  return allowed;
}

std::vector<NumaNode> list_numa_nodes(hwloc_topology_t machine, hwloc_const_bitmap_t allowed) {
  std::vector<NumaNode> nodes;
  const CoreSet near_node(hwloc_bitmap_alloc(), &hwloc_bitmap_free);
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node)) != nullptr) {
    hwloc_bitmap_and(near_node.get(), node->cpuset, allowed);
    nodes.push_back({static_cast<int>(node->os_index), list(near_node.get())});
  }
  return nodes;
}

std::size_t cache_bytes(hwloc_topology_t machine, hwloc_obj_type_t level) {
  const hwloc_obj_t cache = hwloc_get_next_obj_by_type(machine, level, nullptr);
  return cache == nullptr ? 0 : static_cast<std::size_t>(cache->attr->cache.size);
}

}  // namespace

Result<Machine> load_machine() {
  hwloc_topology_t loaded = nullptr;
  if (hwloc_topology_init(&loaded) != 0) return system_error("hwloc_topology_init", errno);
  Machine machine(loaded, &hwloc_topology_destroy);
  if (hwloc_topology_load(machine.get()) != 0) return system_error("hwloc_topology_load", errno);
  return machine;
}

int usable_cores(std::size_t core_count, std::optional<double> cpu_quota) {
  const int cores = static_cast<int>(core_count);
  const int limited = cpu_quota && *cpu_quota < cores ? static_cast<int>(*cpu_quota) : cores;
  return std::max(1, limited);
}

Result<std::vector<int>> cores_of_this_thread() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) {
    return system_error("reading the affinity mask", errno);
  }
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &mask)) cores.push_back(core);
  }
  return cores;
}

Result<Topology> read_topology() {
  RONDO_ASSIGN(const Machine machine, load_machine());
  RONDO_ASSIGN(const CoreSet allowed, allowed_cores(machine.get()));
  Topology topology;
  topology.cores = list(allowed.get());
  topology.cpu_quota = read_cpu_quota();
  topology.numa_nodes = list_numa_nodes(machine.get(), allowed.get());
  topology.l1d_cache_bytes = cache_bytes(machine.get(), HWLOC_OBJ_L1CACHE);
  topology.l2_cache_bytes = cache_bytes(machine.get(), HWLOC_OBJ_L2CACHE);
  topology.l3_cache_bytes = cache_bytes(machine.get(), HWLOC_OBJ_L3CACHE);
  return topology;
}

Status bind_current_thread(int core) {
  RONDO_ASSIGN(const Machine machine, load_machine());
  RONDO_ASSIGN(const CoreSet allowed, allowed_cores(machine.get()));
  if (core < 0 || hwloc_bitmap_isset(allowed.get(), static_cast<unsigned>(core)) == 0) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("core {} is not one that this process may use: {}", core,
                              fmt::join(list(allowed.get()), ", ")));
  }
  const CoreSet one(hwloc_bitmap_alloc(), &hwloc_bitmap_free);
  if (!one) return system_error("hwloc_bitmap_alloc", ENOMEM);
  hwloc_bitmap_only(one.get(), static_cast<unsigned>(core));
  if (hwloc_set_cpubind(machine.get(), one.get(), HWLOC_CPUBIND_THREAD) != 0) {
    return system_error(fmt::format("binding a thread to core {}", core), errno);
  }
  return {};
}

}  // namespace rondo
