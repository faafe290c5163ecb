#pragma once

// Memory and events for other processes: that part of the table.

#include <rondo/device_plugin.h>

namespace custom_cpu {

void add_sharing(rondo_device_table& table);

}  // namespace custom_cpu
