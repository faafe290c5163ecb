// Devices and contexts.

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/device/emulated/emulated.h"
#include "core/environment.h"
#include "fake.h"
#include "tests/core/device/watched.h"

namespace fake_cuda {
namespace {

std::vector<CUcontext>& stack() {
  thread_local std::vector<CUcontext> contexts;
  return contexts;
}

constexpr int kMostDevices = 64;

CUctx_st* primary(int device) {
  static CUctx_st* const contexts = [] {
    auto* const made = new CUctx_st[kMostDevices];
    for (int i = 0; i < kMostDevices; ++i) made[i].device = i;
    return made;
  }();
  return &contexts[device];
}

int device_count() {
  const int all = *state().driver->device_count();
  // Tests count on devices that whoever has hidden some of the machine's knows nothing of.
  if (std::getenv("FAKE_CUDA_HIDES") == nullptr) return all;
  const auto visible = rondo::environment_text("CUDA_VISIBLE_DEVICES");
  if (!visible) return all;
  const auto commas = std::ranges::count(*visible, ',');
  return std::min(all, static_cast<int>(commas) + 1);
}

bool exists(int device) { return device >= 0 && device < device_count(); }

}  // namespace

State& state() {
  static State& made = *[] {
    auto* const fresh = new State();
    fresh->driver = rondo::device::make_emulated_driver(*rondo::device::read_emulated_options());
    return fresh;
  }();
  return made;
}

bool reaches(int device, int peer) {
  const std::string pairs = rondo::environment_text("FAKE_CUDA_UNREACHABLE").value_or("");
  const std::string pair = "," + std::to_string(device) + ":" + std::to_string(peer) + ",";
  return ("," + pairs + ",").find(pair) == std::string::npos;
}

CUcontext current() { return stack().empty() ? nullptr : stack().back(); }

CUresult code_of(const rondo::Status& status) {
  if (status.ok()) return CUDA_SUCCESS;
  if (status.message().find("went past") != std::string::npos) return CUDA_ERROR_ILLEGAL_ADDRESS;
  return CUDA_ERROR_LAUNCH_FAILED;
}

}  // namespace fake_cuda

using fake_cuda::state;

extern "C" {

/// For tests: what was made and not destroyed.
__attribute__((visibility("default"))) int fake_cuda_live() { return state().live; }

/// Likewise: all that a test wants of a device.
__attribute__((visibility("default"))) const rondo::testing::WatchedDevice* watched_device() {
  static const rondo::testing::WatchedDevice watched = {
      .plan_faults =
          [](const char* faults) {
            rondo::device::faults_of(*state().driver)
                .plan_again(*rondo::device::parse_faults(faults));
          },
      .failed = [] { return rondo::device::faults_of(*state().driver).failed(); },
      // Rondo keeps as many streams for bells as were ever asked for at once.
      .open = [] { return state().live - state().calling; },
      .kept_threads = [] { return state().calling.load(); }};
  return &watched;
}

CUresult cuInit(unsigned int /*flags*/) {
  return fake_cuda::device_count() == 0 ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  const auto read = rondo::environment_integer("FAKE_CUDA_VERSION", CUDA_VERSION, {0, 99'999});
  *version = static_cast<int>(*read);
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult code, const char** name) {
  switch (code) {
    case CUDA_ERROR_OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; break;
    case CUDA_ERROR_UNKNOWN: *name = "CUDA_ERROR_UNKNOWN"; break;
    case CUDA_ERROR_LAUNCH_FAILED: *name = "CUDA_ERROR_LAUNCH_FAILED"; break;
    case CUDA_ERROR_ILLEGAL_ADDRESS: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; break;
    case CUDA_ERROR_MAP_FAILED: *name = "CUDA_ERROR_MAP_FAILED"; break;
    case CUDA_ERROR_NOT_SUPPORTED: *name = "CUDA_ERROR_NOT_SUPPORTED"; break;
    case CUDA_ERROR_INVALID_HANDLE: *name = "CUDA_ERROR_INVALID_HANDLE"; break;
    default: *name = "CUDA_ERROR_OTHER";
  }
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult /*code*/, const char** text) {
  *text = "as the acted driver tells it";
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  *count = fake_cuda::device_count();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int index) {
  if (!fake_cuda::exists(index)) return CUDA_ERROR_INVALID_DEVICE;
  *device = index;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (!fake_cuda::exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  *value = attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT ? 32 : 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  if (!fake_cuda::exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  *uuid = {};
  uuid->bytes[0] = static_cast<char>(device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  *can = fake_cuda::reaches(device, peer) ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (!fake_cuda::exists(device)) return CUDA_ERROR_INVALID_DEVICE;
  *context = fake_cuda::primary(device);
  ++state().live;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice /*device*/) {
  --state().live;
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  fake_cuda::stack().push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  if (fake_cuda::stack().empty()) return CUDA_ERROR_INVALID_CONTEXT;
  *context = fake_cuda::stack().back();
  fake_cuda::stack().pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int /*flags*/) {
  return fake_cuda::reaches(fake_cuda::current()->device, peer->device)
             ? CUDA_SUCCESS
             : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

}  // extern "C"
