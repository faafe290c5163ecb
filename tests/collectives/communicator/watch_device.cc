#include "tests/collectives/communicator/watch_device.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "core/device/emulated/emulated.h"
#include "core/status.h"

namespace rondo::testing {
namespace {

device::DeviceDriver& emulated() { return *value_or_throw(device::emulated_driver()); }

/// Streams and events of emulated devices are the process's threads and descriptors.
const WatchedDevice& watched_emulated() {
  static const WatchedDevice watched = {
      .plan_faults =
          [](const char* faults) {
            device::faults_of(emulated()).plan_again(value_or_throw(device::parse_faults(faults)));
          },
      .failed = [] { return device::faults_of(emulated()).failed(); },
      .open = [] { return static_cast<int>(device::memories_of(emulated())); },
      .kept_threads = [] { return 0; }};
  return watched;
}

}  // namespace

const WatchedDevice& watch_device(DeviceKind kind) {
  if (kind == DeviceKind::kEmulated) return watched_emulated();
  const char* const variable =
      kind == DeviceKind::kCuda ? "RONDO_CUDA_DRIVER" : "RONDO_DEVICE_PLUGINS";
  const char* const path = std::getenv(variable);
  void* const library = path == nullptr ? nullptr : ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* const function = library == nullptr ? nullptr : ::dlsym(library, "watched_device");
  if (function == nullptr)
    throw std::runtime_error(std::string(variable) + " names no library that can be watched");
  return *reinterpret_cast<const WatchedDevice* (*)()>(function)();
}

}  // namespace rondo::testing
