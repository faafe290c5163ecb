#pragma once

// Whole collectives, and messages, between ranks of one machine: threads or processes.

#include <rondo/device_plugin.h>

namespace custom_cpu {

/// Valid for good.
rondo_collective_table collectives();

}  // namespace custom_cpu
