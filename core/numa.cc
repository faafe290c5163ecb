#include "core/numa.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "core/log.h"
#include "core/machine.h"

namespace rondo {
namespace {

bool has(const NumaNode& node, int core) {
  return std::ranges::find(node.cores, core) != node.cores.end();
}

/// Of the process, as it was when this was asked first; empty where it can't be read.
const std::vector<NumaNode>& nodes_of_this_machine() {
  static const std::vector<NumaNode> nodes = [] {
    auto topology = read_topology();
    return topology.ok() ? std::move(topology->numa_nodes) : std::vector<NumaNode>();
  }();
  return nodes;
}

}  // namespace

std::optional<int> nearest_node(std::span<const int> cores, std::span<const NumaNode> nodes) {
  if (nodes.size() < 2 || cores.empty()) return std::nullopt;
  for (const NumaNode& node : nodes) {
    const auto is_near = [&node](int core) { return has(node, core); };
    if (std::ranges::all_of(cores, is_near)) return node.index;
  }
  return std::nullopt;
}

std::optional<int> nearest_node_of_this_thread() {
  const std::vector<NumaNode>& nodes = nodes_of_this_machine();
  if (nodes.size() < 2) return std::nullopt;
  const auto cores = cores_of_this_thread();
  return cores.ok() ? nearest_node(*cores, nodes) : std::nullopt;
}

Status prefer_node(std::byte* memory, std::size_t bytes, int node) {
  const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + page_bytes - 1) & -page_bytes;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) & -page_bytes;
  if (begin >= end) return {};
  static const Result<Machine> machine = load_machine();
  RONDO_TRY(machine.status());
  const std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, decltype(&hwloc_bitmap_free)> set(
      hwloc_bitmap_alloc(), &hwloc_bitmap_free);
  if (!set) return system_error("hwloc_bitmap_alloc", ENOMEM);
  hwloc_bitmap_only(set.get(), static_cast<unsigned>(node));
  constexpr int kFlags = HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_MIGRATE;
  // Without HWLOC_MEMBIND_STRICT a full node is no error: the pages come from another.
  if (hwloc_set_area_membind(machine->get(), reinterpret_cast<void*>(begin), end - begin, set.get(),
                             HWLOC_MEMBIND_BIND, kFlags) != 0)
    return system_error(fmt::format("placing {} bytes of memory on NUMA node {}", bytes, node),
                        errno);
  return {};
}

void place_near_this_thread(std::byte* memory, std::size_t bytes) {
  const std::optional<int> node = nearest_node_of_this_thread();
  if (!node) return;
  const Status status = prefer_node(memory, bytes, *node);
  if (status.ok()) return;
  log(LogLevel::kDebug, [&] { return status.to_string(); });
}

}  // namespace rondo
