#pragma once

// The kinds of devices that plug-ins have brought, loaded from what RONDO_DEVICE_PLUGINS names.
// Threads: any.

#include <optional>
#include <string_view>

#include "core/device/plugin/driver.h"
#include "core/status.h"
#include "rondo/device.h"

namespace rondo::device {

/// The first of their kinds; each further one has the next number.
inline constexpr DeviceKind kFirstPluginKind = static_cast<DeviceKind>(16);
inline constexpr int kMostPluginKinds = 32;

/// Loads the plug-ins, once. Errors: InvalidArgument, System, naming the file and what is wrong.
Status load_plugins();

/// Null where there is none (of those that could be loaded).
PluginDriver* plugin_driver(DeviceKind kind);
PluginDriver* plugin_driver(std::string_view name);

/// One file, for tests. Errors: as load_plugins.
Status load_plugin(const char* path);

}  // namespace rondo::device
