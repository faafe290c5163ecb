// Streams, events and kernels.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "collectives/kernels/cuda/reduce_parameters.h"
#include "collectives/kernels/cuda/schedule_program.h"
#include "core/device/emulated/emulated.h"
#include "fake.h"

using fake_cuda::code_of;
using fake_cuda::current;
using fake_cuda::enqueue;
using fake_cuda::is_forbidden;
using fake_cuda::state;
using fake_cuda::wait_for_all_streams;

namespace {

/// How the stream fared up to `event`.
CUresult query(const rondo::detail::EventImpl& event) {
  return event.done() ? code_of(event.wait()) : CUDA_ERROR_NOT_READY;
}

/// How large a kernel's parameter is: all have one, whose type the name tells.
std::size_t parameter_bytes(const CUfunc_st& function) {
  using namespace rondo::kernels::cuda;
  return function.is_schedule ? sizeof(ScheduleCall) : sizeof(ReduceParameters);
}

/// Calls a function of the host where a stream comes to wait for it.
class HostFunction final : public rondo::detail::EventImpl {
 public:
  HostFunction(CUhostFn function, void* data) : function_(function), data_(data) {}
  bool done() const override { return true; }
  rondo::detail::EventWaiter waiter() const override {
    return [function = function_, data = data_](const rondo::detail::Abandoned& /*abandoned*/) {
      function(data);
      return rondo::Status();
    };
  }

 private:
  CUhostFn function_;
  void* data_;
};

/// A kernel was given a pointer that leads nowhere.
struct Astray : std::exception {
  explicit Astray(rondo::Status why) : failure(std::move(why)) {}
  rondo::Status failure;
};

/// In the stream's thread. Memory that has been freed is the kernel's error: it doesn't begin.
rondo::Status run(const CUfunc_st& function, rondo::kernels::cuda::HostGrid grid,
                  const std::vector<std::byte>& parameter) {
  const auto seen = [](void* pointer) -> void* {
    auto resolved = rondo::device::emulated_memory(pointer, 1);
    if (!resolved.ok()) throw Astray(resolved.status());
    return *resolved;
  };
  try {
    function.kernel(grid, parameter.data(), seen);
  } catch (const Astray& astray) {
    return astray.failure;
  }
  return {};
}

/// What is wrong with addresses a driver sees when it is asked; the stream goes on without.
bool is_refused(CUdeviceptr address, std::size_t bytes) {
  return !rondo::device::emulated_memory(reinterpret_cast<const void*>(address), bytes).ok() &&
         std::getenv("FAKE_CUDA_TELLS_LATER") == nullptr;
}

std::atomic<int> default_work = 0;

/// See gates.h: said, and refused, where it may be for ever.
bool would_hang(const CUstream_st& stream, std::initializer_list<CUdeviceptr> addresses) {
  const bool waits = stream.gates.any_closed();
  if (!waits || std::ranges::none_of(addresses, &fake_cuda::is_pageable)) return false;
  std::fputs("the driver would copy pageable memory in a stream that waits for this process\n",
             stderr);
  return true;
}

/// Null where the device has none left.
CUstream make_stream(int device) {
  auto made = state().driver->create_stream(device);
  auto last = state().driver->create_event(device);
  if (!made.ok() || !last.ok()) return nullptr;
  auto* const stream = new CUstream_st{
      .device = device, .stream = std::move(made).value(), .last = std::move(last).value()};
  const std::lock_guard lock(state().mutex);
  state().streams[stream] = stream->last;
  return stream;
}

}  // namespace

CUstream fake_cuda::real(CUstream stream) {
  if (stream != nullptr) return stream;
  static std::mutex& mutex = *new std::mutex();
  static auto& defaults = *new std::map<int, CUstream>();
  const std::lock_guard lock(mutex);
  CUstream& own = defaults[current()->device];
  if (own == nullptr) own = make_stream(current()->device);
  return own;
}

void fake_cuda::wait_for_all_streams() {
  constexpr auto kForEver = std::chrono::seconds(30);
  const std::lock_guard freeing(state().freeing);
  std::map<CUstream, std::shared_ptr<rondo::detail::EventImpl>> streams;
  {
    const std::lock_guard lock(state().mutex);
    streams = state().streams;
  }
  const auto until = std::chrono::steady_clock::now() + kForEver;
  for (const auto& [stream, last] : streams) {
    while (!last->done()) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      if (std::chrono::steady_clock::now() < until) continue;
      std::fputs("the driver waits for a stream that waits for this process\n", stderr);
      std::abort();
    }
  }
}

/// After each piece of work comes a mark, so that a query needs nothing of its own.
CUresult fake_cuda::enqueue(CUstream given, FakeWork work) {
  CUstream_st* const stream = real(given);
  if (given == nullptr) ++default_work;
  if (stream->capture != nullptr) return capture(*stream->capture, std::move(work));
  const std::lock_guard freeing(state().freeing);
  rondo::Status outcome = work(*stream->stream);
  if (outcome.ok()) outcome = stream->stream->record(*stream->last);
  return code_of(outcome);
}

extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned int /*flags*/) {
  if (current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *stream = make_stream(current()->device);
  if (*stream == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  ++state().live;
  return CUDA_SUCCESS;
}

/// For tests: how many pieces of work were given to default streams.
__attribute__((visibility("default"))) int fake_cuda_default_work() { return default_work; }

CUresult cuStreamDestroy(CUstream stream) {
  --state().live;
  if (stream->calls_host) --state().calling;
  {
    const std::lock_guard lock(state().mutex);
    state().streams.erase(stream);
  }
  // What isn't done is done all the same, and nobody waits for it.
  if (stream->last->done()) {
    delete stream;
    return CUDA_SUCCESS;
  }
  fake_cuda::leave_behind(stream);
  return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream stream) {
  return is_forbidden() ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                        : query(*fake_cuda::real(stream)->last);
}

CUresult cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  for (const CUdeviceptr address : {target, source}) {
    if (is_refused(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
  }
  if (would_hang(*fake_cuda::real(stream), {target, source})) return CUDA_ERROR_ILLEGAL_STATE;
  return enqueue(stream, [=](rondo::detail::StreamImpl& own) {
    return own.copy(reinterpret_cast<void*>(target), reinterpret_cast<const void*>(source), bytes);
  });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int /*flags*/) {
  CUstream_st& waiting = *fake_cuda::real(stream);
  if (waiting.capture == nullptr) waiting.gates.follow(event->gates);
  return enqueue(stream,
                 [event](rondo::detail::StreamImpl& own) { return own.wait(*event->event); });
}

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value,
                             unsigned int /*flags*/) {
  const auto gate = std::make_shared<fake_cuda::Gate>();
  gate->word = reinterpret_cast<std::uint32_t*>(address);
  gate->value = value;
  const auto until = [gate]() -> rondo::Status {
    while (gate->is_closed()) std::this_thread::sleep_for(std::chrono::microseconds(50));
    gate->is_passed.store(true, std::memory_order_release);
    return {};
  };
  CUstream_st& waiting = *fake_cuda::real(stream);
  if (waiting.capture == nullptr) waiting.gates.add(gate);
  return enqueue(stream, [until](rondo::detail::StreamImpl& own) { return own.launch(until); });
}

CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  if (current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  // Other processes can't wait for an event with times.
  if ((flags & CU_EVENT_INTERPROCESS) != 0 && (flags & CU_EVENT_DISABLE_TIMING) == 0)
    return CUDA_ERROR_INVALID_VALUE;
  const bool is_shared = (flags & CU_EVENT_INTERPROCESS) != 0;
  if (is_shared && state().shared_events >= fake_cuda::kMostSharedEvents)
    return CUDA_ERROR_OUT_OF_MEMORY;
  auto made = state().driver->create_event(current()->device);
  if (!made.ok()) return CUDA_ERROR_OUT_OF_MEMORY;
  *event = new CUevent_st{.event = std::move(made).value(), .is_shared = is_shared};
  if (is_shared) ++state().shared_events;
  ++state().live;
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) {
  if (event->is_shared) --state().shared_events;
  delete event;
  --state().live;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  const CUstream_st& recorded = *fake_cuda::real(stream);
  if (recorded.capture == nullptr) event->gates.copy(recorded.gates);
  return enqueue(stream,
                 [event](rondo::detail::StreamImpl& own) { return own.record(*event->event); });
}

CUresult cuEventQuery(CUevent event) {
  return is_forbidden() ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : query(*event->event);
}

CUresult cuModuleLoadData(CUmodule* module, const void* /*image*/) {
  if (is_forbidden()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  wait_for_all_streams();
  *module = new CUmod_st();
  ++state().live;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  wait_for_all_streams();
  const auto kernel = rondo::kernels::cuda::find_host_kernel(name);
  if (kernel == nullptr) return CUDA_ERROR_NOT_FOUND;
  const bool is_schedule = std::string_view(name).starts_with("rondo_schedule_");
  module->functions.push_back(std::make_unique<CUfunc_st>(CUfunc_st{kernel, is_schedule}));
  *function = module->functions.back().get();
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
  delete module;
  --state().live;
  return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  if (!fake_cuda::real(stream)->calls_host.exchange(true)) ++state().calling;
  return enqueue(stream, [=](rondo::detail::StreamImpl& own) {
    return own.wait(HostFunction(function, data));
  });
}

// NOLINTNEXTLINE(readability-function-size): these are the driver's parameters
CUresult cuLaunchKernel(CUfunction function, unsigned int blocks, unsigned int /*y*/,
                        unsigned int /*z*/, unsigned int threads, unsigned int /*block_y*/,
                        unsigned int /*block_z*/, unsigned int /*shared_bytes*/, CUstream stream,
                        void** arguments, void** /*extra*/) {
  const auto* const bytes = static_cast<const std::byte*>(arguments[0]);
  std::vector<std::byte> parameter(bytes, bytes + parameter_bytes(*function));
  const auto work = [own = *function, blocks, threads, parameter = std::move(parameter)] {
    return run(own, {blocks, threads}, parameter);
  };
  return enqueue(stream, [work](rondo::detail::StreamImpl& own) { return own.launch(work); });
}

}  // extern "C"
