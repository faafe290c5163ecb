#pragma once

// Streams and graphs as another library makes them, by the driver's own functions.

#include <cuda.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

namespace rondo::testing {

/// Of the driver that the library uses, too.
template <typename Function>
Function* driver_function(const char* name) {
  const char* const path = std::getenv("RONDO_CUDA_DRIVER");
  void* const library = ::dlopen(path == nullptr ? "libcuda.so.1" : path, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(::dlsym(library, name));
}
#define RONDO_DRIVER_TEXT(name) #name
#define RONDO_DRIVER_FUNCTION(name) driver_function<decltype(::name)>(RONDO_DRIVER_TEXT(name))

/// A stream as another library makes it: of a device's primary context.
class NativeStream {
 public:
  explicit NativeStream(int index) {
    RONDO_DRIVER_FUNCTION(cuDeviceGet)(&device_, index);
    CUcontext context = nullptr;
    RONDO_DRIVER_FUNCTION(cuDevicePrimaryCtxRetain)(&context, device_);
    RONDO_DRIVER_FUNCTION(cuCtxPushCurrent)(context);
    RONDO_DRIVER_FUNCTION(cuStreamCreate)(&stream_, CU_STREAM_NON_BLOCKING);
  }
  NativeStream(const NativeStream&) = delete;
  NativeStream& operator=(const NativeStream&) = delete;
  ~NativeStream() {
    RONDO_DRIVER_FUNCTION(cuStreamDestroy)(stream_);
    CUcontext context = nullptr;
    RONDO_DRIVER_FUNCTION(cuCtxPopCurrent)(&context);
    RONDO_DRIVER_FUNCTION(cuDevicePrimaryCtxRelease)(device_);
  }
  CUstream get() const { return stream_; }

 private:
  CUdevice device_ = 0;
  CUstream stream_ = nullptr;
};

class Graph {
 public:
  explicit Graph(CUstream stream, CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED)
      : stream_(stream) {
    EXPECT_EQ(RONDO_DRIVER_FUNCTION(cuStreamBeginCapture)(stream, mode), CUDA_SUCCESS);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (executable_ != nullptr) RONDO_DRIVER_FUNCTION(cuGraphExecDestroy)(executable_);
  }
  /// `all_have_ended`: comes before what captures of other threads may forbid.
  void end(const std::function<void()>& all_have_ended = [] {}) {
    CUgraph graph = nullptr;
    EXPECT_EQ(RONDO_DRIVER_FUNCTION(cuStreamEndCapture)(stream_, &graph), CUDA_SUCCESS);
    all_have_ended();
    // No work in a stream: as others' captures forbid it, it would spoil them.
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    RONDO_DRIVER_FUNCTION(cuThreadExchangeStreamCaptureMode)(&mode);
    EXPECT_EQ(RONDO_DRIVER_FUNCTION(cuGraphInstantiate)(&executable_, graph, 0), CUDA_SUCCESS);
    RONDO_DRIVER_FUNCTION(cuGraphDestroy)(graph);
    RONDO_DRIVER_FUNCTION(cuThreadExchangeStreamCaptureMode)(&mode);
  }
  void launch() const {
    EXPECT_EQ(RONDO_DRIVER_FUNCTION(cuGraphLaunch)(executable_, stream_), CUDA_SUCCESS);
  }

 private:
  CUstream stream_;
  CUgraphExec executable_ = nullptr;
};

}  // namespace rondo::testing
