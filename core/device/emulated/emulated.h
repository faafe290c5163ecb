#pragma once

// Accelerators that aren't there, so that the device path runs in every test: memory that the host
// can't touch, streams that run late, export to other processes. Set up by RONDO_EMULATED_DEVICES
// (how many), RONDO_EMULATED_SEED, RONDO_EMULATED_DELAY_US (the longest pause),
// RONDO_EMULATED_MEMORY_MIB (of each device), RONDO_EMULATED_COPY_MBPS and RONDO_EMULATED_KERNEL_US
// (how long work takes at least) and RONDO_EMULATED_FAULTS (faults.h).
// Threads: any.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/device/driver.h"
#include "core/device/emulated/faults.h"
#include "core/device/emulated/ranges.h"
#include "core/device/emulated/stream.h"
#include "core/status.h"

namespace rondo::device {

struct EmulatedOptions {
  int devices = 4;
  std::size_t memory_bytes = std::size_t{4} << 30;
  Lateness lateness{};
  Pace pace{};
  FaultPlan faults{};
};

/// Errors: InvalidArgument, naming the variable.
Result<EmulatedOptions> read_emulated_options();

/// A set of devices of its own, for tests; the process's devices are `emulated_driver`.
std::unique_ptr<DeviceDriver> make_emulated_driver(const EmulatedOptions& options);

Result<DeviceDriver*> emulated_driver();

/// For tests: what fails on the devices of a driver that was made above.
Faults& faults_of(DeviceDriver& emulated);
/// Likewise: how many allocations and imports there are, of all such drivers of this process.
std::size_t memories_of(DeviceDriver& emulated);

/// Likewise: the last ranges for a profiler.
std::vector<EmulatedRange> ranges_of(DeviceDriver& emulated);

/// Where the stream threads of this process find the bytes at an emulated device's address; null
/// for every other pointer. For emulated kernels only: the host has no business there.
void* emulated_alias(const void* pointer);
/// The same for [pointer, pointer + bytes), where host memory stays as it is.
/// Errors: Device (freed memory, or past the end of its allocation).
Result<std::byte*> emulated_memory(const void* pointer, std::size_t bytes);

}  // namespace rondo::device
