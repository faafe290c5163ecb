#pragma once

// The state behind a CUDA driver that is acted: its functions (those of table.h) are in the other
// files, its devices are emulated ones of its own, with their late streams, faults and memory that
// the host can't touch. Kernels are the host's (host_kernels.h). So everything that Rondo does with
// a driver runs in tests, but for what the driver itself does wrong.
// Variables: those of emulated devices (RONDO_EMULATED_*), FAKE_CUDA_VERSION (13000),
// FAKE_CUDA_UNREACHABLE: pairs "0:1,2:1" of a device and another whose memory it can't use,
// FAKE_CUDA_TELLS_LATER: copies of memory that isn't there fail their stream when it comes to them,
// where they are refused at once without, and FAKE_CUDA_HIDES: CUDA_VISIBLE_DEVICES counts, by the
// number of its items alone.

#pragma GCC visibility push(default)
#include <cuda.h>
#pragma GCC visibility pop

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "collectives/kernels/cuda/host_kernels.h"
#include "core/device/driver.h"
#include "core/device/shared_handle.h"
#include "core/device/stream.h"
#include "gates.h"

// The handles of cuda.h, as this driver fills them.
struct CUctx_st {
  int device = 0;
};
struct CUevent_st {
  std::shared_ptr<rondo::detail::EventImpl> event;
  bool is_shared = false;  ///< other processes may wait for it
  fake_cuda::Gates gates{};
};
/// Work in a stream, now or by a graph that has captured it.
using FakeWork = std::function<rondo::Status(rondo::detail::StreamImpl& stream)>;
struct CUgraph_st {
  std::vector<FakeWork> work;
  std::atomic<bool> is_spoilt = false;  ///< while it is captured: by what is forbidden then
};
struct CUgraphExec_st {
  std::vector<FakeWork> work;
};
struct CUstream_st {
  int device = 0;
  std::shared_ptr<rondo::detail::StreamImpl> stream;
  std::shared_ptr<rondo::detail::EventImpl> last;  ///< recorded after all that it was given
  CUgraph capture = nullptr;                       ///< null: work is done now
  std::atomic<bool> calls_host = false;            ///< it was given a function of the host
  fake_cuda::Gates gates{};
};
struct CUfunc_st {
  rondo::kernels::cuda::HostKernel kernel = nullptr;
  bool is_schedule = false;
};
struct CUmod_st {
  std::vector<std::unique_ptr<CUfunc_st>> functions;
};

namespace fake_cuda {

struct Allocation {
  std::size_t bytes = 0;
  int device = 0;
  std::uint64_t number = 0;
  bool on_host = false;
  bool is_opened = false;  ///< another process's
};

struct Opened {
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  int uses = 0;
};

struct State {
  std::mutex mutex;
  std::mutex freeing;  ///< kept while memory is freed: nothing is put into streams meanwhile
  std::unique_ptr<rondo::device::DeviceDriver> driver;
  std::map<std::uint64_t, Allocation> allocations;  ///< by address
  std::map<std::pair<int, std::string>, Opened> opened;
  std::uint64_t allocated = 0;
  std::atomic<int> live = 0;  ///< whatever was made and not yet destroyed
  std::atomic<int> shared_events = 0;
  std::atomic<int> calling = 0;  ///< of these, streams that were given functions of the host
  int left_behind = 0;           ///< streams that were destroyed, whose work goes on
  std::map<CUstream, std::shared_ptr<rondo::detail::EventImpl>> streams;  ///< and their last marks
  std::vector<std::function<void()>> given_back;  ///< what these may still be at
};

/// A context has room for so many events that other processes may wait for.
inline constexpr int kMostSharedEvents = 4096;

State& state();
/// Now, or once no work is left behind, which may still be at what is given back: a device would
/// fault, a process mustn't. With the mutex.
void give_back(std::function<void()> action);
/// What is due of that. With the mutex.
void give_back_all();
/// Destroys the stream once its work is done. The process ends behind that, if it takes no longer
/// than a second: LeakSanitizer breaks off where threads come and go while it looks at all of them.
void leave_behind(CUstream stream);
/// Whether the driver says that `device` can use memory of `peer`.
bool reaches(int device, int peer);
/// Of the calling thread. Null where there is none.
CUcontext current();
/// Where the work of that stream goes: null is the default one of the calling thread's device.
CUstream real(CUstream stream);
/// Neither a device's memory nor page-locked.
bool is_pageable(CUdeviceptr address);
/// What a device or stream did wrong as one of the driver's codes.
CUresult code_of(const rondo::Status& status);
/// As a driver does to free memory: until all that streams have been given is done, and none is
/// given more. Work that waits for what its caller's other threads do only then makes that for
/// ever, which ends the process here.
void wait_for_all_streams();
/// Puts work into a stream, or into the graph that it is captured in.
CUresult enqueue(CUstream stream, FakeWork work);
CUresult capture(CUgraph_st& graph, FakeWork work);
/// Whether this thread may not allocate, nor ask how far the device is, since somebody captures and
/// the mode of that, or of this thread, says so. Then those captures are spoilt. The driver doesn't
/// list what it takes for unsafe: here it is all that isn't work in a stream.
bool is_forbidden();

}  // namespace fake_cuda
