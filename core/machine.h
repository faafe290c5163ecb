#pragma once

// What hwloc knows of the machine. Not for headers that others include.

#include <hwloc.h>

#include <memory>
#include <type_traits>

#include "core/status.h"

namespace rondo {

using Machine =
    std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, decltype(&hwloc_topology_destroy)>;

/// Milliseconds. Errors: System.
Result<Machine> load_machine();

}  // namespace rondo
