#pragma once

// A plug-in's table, checked, and whole: what an older one doesn't know is null.
// Pure.

#include <cstddef>
#include <string>

#include "core/status.h"
#include "rondo/device_plugin.h"

namespace rondo::device {

/// A copy. Errors: InvalidArgument, naming the version, the name or the missing entries.
Result<rondo_device_table> checked_table(const rondo_device_table& table);

/// Whether that is a table's size: entries are as large as pointers, and none is there in part.
inline bool ends_between_entries(std::size_t bytes) { return bytes % sizeof(void*) == 0; }

inline bool has_streams(const rondo_device_table& table) { return table.create_stream != nullptr; }
inline bool can_share(const rondo_device_table& table) { return table.export_memory != nullptr; }
inline bool sees_host(const rondo_device_table& table) { return table.allocate_host != nullptr; }

/// What is no device's in particular.
inline constexpr int kNoDevice = -1;

/// Of a call of the table that returned `code`. Errors: Device, with the device, its last_error and
/// what can be done.
Status plugin_status(const rondo_device_table& table, int device, const char* function, int code);

}  // namespace rondo::device
