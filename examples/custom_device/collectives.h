#pragma once

// Whole collectives between the threads of one process: all_reduce, broadcast and all_gather. The
// others, and worlds of several processes, Rondo makes by its own schedules.

#include <rondo/device_plugin.h>

namespace custom_cpu {

/// Valid for good.
rondo_collective_table collectives();

}  // namespace custom_cpu
