#pragma once

// The host as a device: its streams run everything at once, in the calling thread.

#include "core/device/driver.h"

namespace rondo::device {

Result<DeviceDriver*> host_driver();

}  // namespace rondo::device
