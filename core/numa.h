#pragma once

// Memory near the cores that use it, on machines of several NUMA nodes. Linux gives a page to the
// node of the core that touches it first, which for memory that is made ahead and shared need not
// be the one that works with it.
// Threads: any.

#include <cstddef>
#include <optional>
#include <span>

#include "core/status.h"
#include "core/topology.h"

namespace rondo {

/// The node, by the operating system's number, that all `cores` are near. Nothing where they are
/// near several, and where there is only one: any memory will do then.
std::optional<int> nearest_node(std::span<const int> cores, std::span<const NumaNode> nodes);

/// That of the calling thread's affinity mask. The machine is looked at once in a process.
std::optional<int> nearest_node_of_this_thread();

/// The whole pages among these bytes shall lie on that node, as far as it has room; those that are
/// elsewhere move, unless other processes have them mapped too. Errors: System.
Status prefer_node(std::byte* memory, std::size_t bytes, int node);

/// prefer_node of the calling thread's node, if it has one. A hint: what fails changes nothing.
void place_near_this_thread(std::byte* memory, std::size_t bytes);

}  // namespace rondo
