#pragma once

// Where a collective on devices' memory is made, and by whom: the way with the least predicted
// time of those that all ranks have. A pure function of what every rank holds equal.
//
// Costs, of n ranks and S bytes that each of them contributes or gets:
//   host     2 copies of S between device and host, and the collective among hosts
//   events   2 (n-1) steps, each a copy or kernel that an event of a peer's stream starts
//   library  one launch, 2 (n-1) steps inside a kernel
//   messages 2 (n-1) steps, each a group of the library's messages that the host asks for, and a
//   kernel
// and for all on devices 2 (n-1)/n S through a rank's link. Constants: orders of magnitude, by
// NCCL's tuning model (its src/graph/tuning.cc) and the times of launches, events and pinned copies
// that CUDA's best-practices guide names. Measured by us (docs/performance.md) is what there is
// without a second GPU: the way by the host, and steps of threads on one GPU.

#include <cstddef>
#include <cstdint>

namespace rondo::select {

enum class DevicePath : std::uint8_t {
  kHost,      ///< brought to the host
  kDevices,   ///< our schedules, on the devices
  kLibrary,   ///< whole, by the library of the devices' maker
  kMessages,  ///< our schedules, by messages of that library
};

/// What all ranks have.
struct DeviceMeans {
  int world = 1;
  bool one_host = true;
  bool devices = false;   ///< each other's memory
  bool library = false;   ///< one library that takes the call
  bool messages = false;  ///< one that has messages in groups
};

double device_path_us(DevicePath path, std::size_t bytes, const DeviceMeans& means);

/// The cheapest that there is.
DevicePath choose_device_path(std::size_t bytes, const DeviceMeans& means);

}  // namespace rondo::select
