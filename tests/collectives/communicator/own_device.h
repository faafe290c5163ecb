#pragma once

// The device of a rank that a launcher has started.

#include <cstdlib>

#include "rondo/device.h"

namespace rondo::testing {

/// Of the kind that RONDO_TEST_DEVICE names (the host without): each rank's own while there are
/// enough.
inline Device own_device() {
  const char* const name = std::getenv("RONDO_TEST_DEVICE");
  const char* const rank = std::getenv("RONDO_LOCAL_RANK");
  if (name == nullptr) return Device::host();
  const DeviceKind kind = find_device_kind(name).value();
  return {kind, rank == nullptr ? 0 : std::atoi(rank) % device_count(kind)};
}

}  // namespace rondo::testing
