#pragma once

// Streams and graphs as another library makes them, by the driver's own functions.

#include <cuda.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <vector>

#include "rondo/communicator.h"
#include "rondo/device.h"
#include "tests/collectives/communicator/memory.h"

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

/// A captured pair of all-reduces, the second of the first's sums, launched `launches` times a turn
/// with other contents each turn. `rank` r of three has r / 2 more than the turn's number.
inline void expect_sums_of_each_launch(Communicator& rank, int turns, int launches) {
  constexpr std::size_t kCount = 5'003;
  Memory<float> memory(rank.device(), kCount, false);
  const Buffer buffer = memory.buffer(0, kCount);
  rank.all_reduce(buffer);  // plans are made before, not while a stream is captured
  const NativeStream native(rank.device().index);
  Stream stream = Stream::borrow(rank.device(), native.get());
  Graph graph(native.get());
  rank.start(Call::all_reduce(buffer).on(stream));
  rank.start(Call::all_reduce(buffer).on(stream));
  graph.end();
  for (int turn = 0; turn < turns; ++turn) {
    const float own = 0.5F * static_cast<float>(rank.rank()) + static_cast<float>(turn);
    memory.write(0, std::vector<float>(kCount, own));
    float expected = (1.5F + 3 * static_cast<float>(turn)) / 3;
    for (int i = 0; i < launches; ++i) {
      graph.launch();
      expected *= 9;
    }
    stream.synchronize();
    ASSERT_THAT(memory.read(0, kCount), ::testing::Each(expected)) << "turn " << turn;
  }
  // Freeing memory waits for all of the device, and keeps others from launching meanwhile.
  rank.barrier();
}

}  // namespace rondo::testing
