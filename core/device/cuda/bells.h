#pragma once

// Who sleeps until a CUDA event is reached is woken by a function of the host that the driver calls
// behind it (cuLaunchHostFunc): in a stream of its own, so that no work of anybody's waits for it,
// and that an event which comes late keeps no other one's bell from ringing.
// Source: cuLaunchHostFunc in the CUDA Driver API reference, 13.0.

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/bell.h"
#include "core/device/cuda/table.h"
#include "core/status.h"

namespace rondo::device {

class CudaContext;

/// The bells of one context, which is entered where they are used. Threads: any.
class CudaBells {
 public:
  /// Errors: Device: nobody rings.
  Status ring_behind(const CudaContext& context, CUevent event, const std::shared_ptr<Bell>& bell);
  /// Gives the streams back, once nobody uses them.
  void close(const CudaTable& table);

 private:
  /// Of a ringer. Left: the driver's thread, which still has it, is its last user.
  enum class Use { kIdle, kBusy, kLeft };
  /// A stream with one bell at a time.
  struct Ringer {
    CUstream stream = nullptr;
    /// The driver's thread has it while it is busy. Not kept: it may never be rung.
    std::weak_ptr<Bell> bell;
    std::atomic<Use> use = Use::kIdle;
  };
  Result<Ringer*> idle_ringer(const CudaContext& context);
  void drop_failed(const CudaTable& table);
  static void CUDA_CB ring(void* ringer);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Ringer>> ringers_;
};

}  // namespace rondo::device
