#include "core/device/cuda/status.h"

#include <fmt/format.h>

#include <string>

#include "core/device/driver.h"

namespace rondo::device {
namespace {

/// What to do about it; empty where the driver's own text has to do.
std::string_view remedy(CUresult code) {
  switch (code) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return "the device's memory is used up: free some, use smaller buffers, or look with "
             "nvidia-smi at who else is using it";
    case CUDA_ERROR_NO_DEVICE:
      return "the driver sees no device: look at CUDA_VISIBLE_DEVICES, and at what the container "
             "was given";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return "the kernel's driver and libcuda.so are of two versions: reload the kernel's module "
             "or "
             "restart the machine after a driver was installed; in a container, its libcuda.so has "
             "to "
             "be the host's";
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return "libcuda.so is one of CUDA's forward-compatibility packages, which this device can't "
             "use: take it off the library path";
    case CUDA_ERROR_SYSTEM_NOT_READY:
      return "a service of the driver isn't up yet: on machines with NVSwitch that is "
             "nvidia-fabricmanager";
    case CUDA_ERROR_STUB_LIBRARY:
      return "libcuda.so is the toolkit's stub, which programs are only linked against: take the "
             "toolkit's stubs folder off LD_LIBRARY_PATH";
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
      return "another process has the device for itself (compute mode): nvidia-smi -c DEFAULT";
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return "this build's kernels are for compute capability 8.0 and newer, and need a driver at "
             "least as new as the CUDA toolkit they were compiled with";
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_FAILED:
      return "a kernel or copy of this process used memory that isn't there; nothing works on the "
             "device until the process is started again: compute-sanitizer names the kernel";
    case CUDA_ERROR_ECC_UNCORRECTABLE:
      return "the device's memory is damaged: take it out of service";
    case CUDA_ERROR_PEER_ACCESS_UNSUPPORTED:
      return "the two devices can't reach each other's memory: RONDO_DEVICE_PATH=host goes by way "
             "of the host";
    case CUDA_ERROR_NOT_SUPPORTED:
      return "this device, or the system that it is in, can't do that: RONDO_DEVICE_PATH=host asks "
             "least of it";
    case CUDA_ERROR_MAP_FAILED:
    case CUDA_ERROR_INVALID_HANDLE:
      return "where it is another process's: that process has ended, or has freed what it gave";
    default: return {};
  }
}

Status described(const CudaTable& table, const std::string& subject, CUresult code) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (table.cuGetErrorName(code, &name) != CUDA_SUCCESS || name == nullptr) name = "unknown code";
  if (table.cuGetErrorString(code, &text) != CUDA_SUCCESS || text == nullptr) text = "no text";
  const std::string_view advice = remedy(code);
  return Status(ErrorCode::kDevice,
                fmt::format("{} failed: {} ({}, {}){}{}", subject, text, name,
                            static_cast<int>(code), advice.empty() ? "" : ": ", advice));
}

}  // namespace

Status cuda_status(const CudaTable& table, std::string_view function, CUresult code) {
  if (code == CUDA_SUCCESS) return {};
  return described(table, std::string(function), code);
}

Status cuda_status(const CudaTable& table, Device device, std::string_view function,
                   CUresult code) {
  if (code == CUDA_SUCCESS) return {};
  return described(table, fmt::format("{} of {}", function, name_of(device)), code);
}

}  // namespace rondo::device
