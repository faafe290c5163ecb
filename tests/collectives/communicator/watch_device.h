#pragma once

#include "rondo/device.h"
#include "tests/core/device/watched.h"

namespace rondo::testing {

/// Of the devices of that kind in this process: emulated ones, those of the acted CUDA driver
/// (RONDO_CUDA_DRIVER), or those of the plug-in that RONDO_DEVICE_PLUGINS names, which is
/// watched_plugin.cc's.
const WatchedDevice& watch_device(DeviceKind kind);

}  // namespace rondo::testing
