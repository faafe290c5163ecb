#pragma once

// What all of one CUDA device's streams, events and memory have in common: its primary context,
// which programs that use CUDA's run-time library have too, so that both see one memory.
// Threads: any.

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "core/device/cuda/bells.h"
#include "core/device/cuda/frees.h"
#include "core/device/cuda/modules.h"
#include "core/device/cuda/table.h"
#include "core/status.h"
#include "rondo/device.h"

namespace rondo::device {

class CudaContext : public std::enable_shared_from_this<CudaContext> {
 public:
  /// Errors: Device. What is borrowed outlives the context.
  static Result<std::shared_ptr<CudaContext>> retain(const CudaTable& table, CudaFrees& frees,
                                                     int index);
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;
  ~CudaContext();

  const CudaTable& table() const { return table_; }
  Device device() const { return {DeviceKind::kCuda, index_}; }
  CUdevice number() const { return number_; }
  CUcontext native() const { return context_; }
  /// The device's kernels and copies may use memory of `other` from now on, where the two can reach
  /// each other at all. Errors: Device.
  Status reach(const CudaContext& other);
  /// A kernel of what nvcc made. Errors: those of CudaModules.
  Result<CUfunction> kernel(const void* image, const char* name) const;
  /// While somebody has it, something on the device waits for this process (CudaFrees).
  CudaFrees::Hold hold() const { return frees_.hold(); }
  /// Likewise until `is_over`.
  void hold_until(std::function<bool()> is_over) const { frees_.hold_until(std::move(is_over)); }
  bool wait_for_put_off(std::chrono::milliseconds most) const {
    return frees_.wait_for_put_off(most);
  }
  /// By whom room is made where the driver has no memory left: true if there may be some now.
  /// Before anybody else has the context.
  void let_make_room(std::function<bool()> make_room) { make_room_ = std::move(make_room); }
  /// What `make` returns: where it is that there is no memory left, once more if room could be
  /// made.
  template <class Make>
  CUresult with_room(const Make& make) const {
    const CUresult code = make();
    const bool again = code == CUDA_ERROR_OUT_OF_MEMORY && make_room_ && make_room_();
    return again ? make() : code;
  }
  /// Does what the driver does only when its devices are done, in this context: now, or once
  /// nothing there waits for this process.
  void give_back(std::function<void(const CudaTable&)> action) const;
  /// As of CudaBells.
  Status ring_behind(CUevent event, const std::shared_ptr<Bell>& bell) const;
  /// Blocks that run at once are spread over so many.
  int multiprocessors() const { return multiprocessors_; }
  /// A code of the driver as an error that names function and device.
  Status check(std::string_view function, CUresult code) const;

 private:
  CudaContext(const CudaTable& table, CudaFrees& frees, int index)
      : table_(table), frees_(frees), index_(index) {}

  const CudaTable& table_;
  CudaFrees& frees_;
  int index_;
  CUdevice number_ = 0;
  CUcontext context_ = nullptr;
  int multiprocessors_ = 0;
  std::function<bool()> make_room_;  ///< empty: nobody
  mutable CudaModules modules_;
  mutable CudaBells bells_;
};

/// While it lives, the driver's calls of this thread are for that context, and have nothing to do
/// with what anybody captures meanwhile: in captures of other modes than relaxed the driver forbids
/// to allocate or to ask for events, in global ones on all threads, and who does so all the same
/// has spoilt them. Afterwards all is as it was before. It costs four of the driver's shortest
/// calls. Things are given back whether it could be entered or not: the driver says no where it has
/// to.
class CudaScope {
 public:
  explicit CudaScope(const CudaContext& context);
  CudaScope(const CudaScope&) = delete;
  CudaScope& operator=(const CudaScope&) = delete;
  ~CudaScope();

  /// Errors: Device: nothing may be called.
  const Status& status() const { return status_; }

 private:
  Status enter(const CudaContext& context);

  const CudaTable& table_;
  CUstreamCaptureMode mode_ =
      CU_STREAM_CAPTURE_MODE_RELAXED;  ///< once entered: the thread's before
  Status status_;
};

}  // namespace rondo::device
