// Captures of streams, and graphs.
// Source: cuThreadExchangeStreamCaptureMode in the CUDA Driver API reference, 13.0.

#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "fake.h"

namespace {

/// A stream that is being captured.
struct Capture {
  CUgraph graph = nullptr;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread;
};

std::mutex& captures_mutex() {
  static std::mutex& mutex = *new std::mutex();
  return mutex;
}
std::vector<Capture>& captures() {
  static auto& all = *new std::vector<Capture>();
  return all;
}

/// By a thread whose own mode is `mode`.
bool forbids(const Capture& capture, CUstreamCaptureMode mode) {
  if (mode == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
  if (capture.thread == std::this_thread::get_id())
    return capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED;
  return mode == CU_STREAM_CAPTURE_MODE_GLOBAL && capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

CUstreamCaptureMode& mode_of_this_thread() {
  thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

}  // namespace

bool fake_cuda::is_forbidden() {
  const std::lock_guard lock(captures_mutex());
  bool any = false;
  for (const Capture& capture : captures()) {
    if (!forbids(capture, mode_of_this_thread())) continue;
    capture.graph->is_spoilt = true;
    any = true;
  }
  return any;
}

CUresult fake_cuda::capture(CUgraph_st& graph, FakeWork work) {
  if (graph.is_spoilt) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  graph.work.push_back(std::move(work));
  return CUDA_SUCCESS;
}

extern "C" {

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  std::swap(*mode, mode_of_this_thread());
  return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  *status = fake_cuda::real(stream)->capture != nullptr ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                                        : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  const std::lock_guard lock(captures_mutex());
  stream->capture = new CUgraph_st();
  captures().push_back({stream->capture, mode, std::this_thread::get_id()});
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  const std::lock_guard lock(captures_mutex());
  *graph = std::exchange(stream->capture, nullptr);
  std::erase_if(captures(), [own = *graph](const Capture& other) { return other.graph == own; });
  if (!(*graph)->is_spoilt) return CUDA_SUCCESS;
  delete std::exchange(*graph, nullptr);
  return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
}

CUresult cuGraphInstantiate(CUgraphExec* executable, CUgraph graph, unsigned long long /*flags*/) {
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *executable = new CUgraphExec_st{graph->work};
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  for (const FakeWork& work : executable->work) {
    if (const CUresult code = fake_cuda::enqueue(stream, work); code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  delete executable;
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  delete graph;
  return CUDA_SUCCESS;
}

}  // extern "C"
