#pragma once

namespace rondo::launch {

/// Calls on memory that Rondo hasn't allocated: the plug-in that RONDO_DEVICE_PLUGINS names gives
/// it, to this program and, by an allocator of the program's, to Rondo. Prints the sums.
int foreign_memory();

}  // namespace rondo::launch
