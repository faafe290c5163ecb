#include "collectives/select/device_path.h"

#include <initializer_list>
#include <limits>

namespace rondo::select {
namespace {

constexpr double kCopyAlphaUs = 60;           ///< a pinned copy, waited for: measured, two ranks
constexpr double kCopyBetaUs = 1.0 / 12'000;  ///< a byte through PCIe
constexpr double kEventStepUs = 12;           ///< notice to peer, event, kernel
constexpr double kLaunchUs = 15;              ///< of a library's kernel, with its own start
constexpr double kKernelStepUs = 2;           ///< between kernels that run
constexpr double kMessageStepUs = 30;  ///< a group's launch, asked for by the host, and a kernel's
constexpr double kLinkBetaUs = 1.0 / 50'000;    ///< a byte between devices of a host
constexpr double kNetworkBetaUs = 1.0 / 5'000;  ///< and of different ones, by the library
constexpr double kNetworkStepUs = 15;
constexpr double kHostsBetaUs = 1.0 / 2'500;

}  // namespace

double device_path_us(DevicePath path, std::size_t bytes, const DeviceMeans& means) {
  const auto size = static_cast<double>(bytes);
  const double steps = 2.0 * (means.world - 1);
  const double volume = steps / means.world * size;
  const double between_us = means.one_host ? 0 : kNetworkStepUs;
  switch (path) {
    case DevicePath::kHost:
      return 2 * kCopyAlphaUs + 2 * size * kCopyBetaUs + steps * between_us + volume * kHostsBetaUs;
    case DevicePath::kDevices:
      return steps * (kEventStepUs + between_us) +
             volume * (means.one_host ? kLinkBetaUs : kHostsBetaUs);
    case DevicePath::kLibrary:
      return kLaunchUs + steps * (kKernelStepUs + between_us) +
             volume * (means.one_host ? kLinkBetaUs : kNetworkBetaUs);
    case DevicePath::kMessages:
      return steps * (kMessageStepUs + between_us) +
             volume * (means.one_host ? kLinkBetaUs : kNetworkBetaUs);
  }
  return std::numeric_limits<double>::infinity();
}

namespace {

bool has(DevicePath path, const DeviceMeans& means) {
  switch (path) {
    case DevicePath::kHost: return true;
    case DevicePath::kDevices: return means.devices;
    case DevicePath::kLibrary: return means.library;
    case DevicePath::kMessages: return means.messages;
  }
  return false;
}

}  // namespace

DevicePath choose_device_path(std::size_t bytes, const DeviceMeans& means) {
  // Data that can stay on the devices does: what else is under way on the host isn't known here.
  DevicePath best = DevicePath::kHost;
  double best_us = std::numeric_limits<double>::infinity();
  for (const DevicePath path :
       {DevicePath::kDevices, DevicePath::kLibrary, DevicePath::kMessages}) {
    if (!has(path, means)) continue;
    const double us = device_path_us(path, bytes, means);
    if (us >= best_us) continue;
    best = path;
    best_us = us;
  }
  return best;
}

}  // namespace rondo::select
