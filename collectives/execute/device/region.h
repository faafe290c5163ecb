#pragma once

// What a rank tells its peers of one of its memories on a device, and where they find it by that.

#include <cstddef>

#include "collectives/execute/device/device_place.h"
#include "collectives/execute/device/notice.h"
#include "core/status.h"

namespace rondo::execute {

/// `bytes` at `memory`, none where that is null or nothing; `exported`: for other processes, too.
/// Errors: InvalidArgument (its allocation ends before), those of the driver.
Result<Region> region_of(DevicePlace& place, const void* memory, std::size_t bytes, bool exported);

/// Where a peer's region is looked for.
struct RegionOf {
  int peer = 0;
  bool in_this_process = false;
  bool for_good = false;  ///< see DevicePlace::open_memory
};
/// Where this process sees it; null where there is none. Errors: those of the driver, with the peer
/// as the culprit.
Result<std::byte*> open_region(DevicePlace& place, const Region& region, const RegionOf& of);

}  // namespace rondo::execute
