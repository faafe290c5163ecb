#pragma once

// A stream of a CUDA device.

#include <cstddef>
#include <functional>
#include <memory>

#include "core/device/cuda/context.h"
#include "core/device/cuda/gate.h"
#include "core/device/stream.h"
#include "core/device/stream_health.h"
#include "core/status.h"

namespace rondo::device {

/// One launch: blocks in a row, threads of each in a row.
struct CudaGrid {
  unsigned int blocks = 1;
  unsigned int threads = 1;
};

class CudaStream final : public detail::StreamImpl {
 public:
  /// Doesn't wait for the stream of null, nor that one for it. Errors: Device.
  static Result<std::shared_ptr<CudaStream>> make(std::shared_ptr<const CudaContext> context);
  /// Takes the stream over, or borrows it.
  CudaStream(std::shared_ptr<const CudaContext> context, CUstream stream, bool borrowed = false);
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  /// Waits until all work is done, unless it was abandoned.
  ~CudaStream() override;

  Device device() const override { return context_->device(); }
  Status copy(void* target, const void* source, std::size_t bytes) override;
  /// Errors: Unsupported: work of the host has no place in it.
  Status launch(std::function<Status()> kernel) override;
  Status record(detail::EventImpl& event) override;
  /// Events of other kinds: those of the host hold the stream (SoftEvent); for others the calling
  /// thread waits.
  Status wait(const detail::EventImpl& event) override;
  Status synchronize() override;
  bool idle() const override;
  /// Work that the device has been given stays with it; nobody waits for it any more, but what is
  /// to be freed: it may wait for ever itself.
  void abandon(const Status& cause) override;
  bool can_wait_for_host() const override { return true; }
  std::shared_ptr<void> put_off_frees() override { return context_->hold(); }
  Status failure() const override { return health_->now(); }
  bool awaits_host() const override { return health_->expects(); }
  bool is_capturing() const override;

  /// `arguments` points to each of the kernel's parameters, which are copied. Errors: Device.
  Status launch_kernel(CUfunction kernel, CudaGrid grid, void** arguments);
  const CudaContext& context() const { return *context_; }
  /// For libraries that put work into it themselves.
  CUstream native_stream() const { return stream_; }

 private:
  Status wait_if_pageable(const void* target, const void* source) const;
  /// What can fail it from outside, and may still do so when it is gone.
  struct Health : StreamHealth {
    using StreamHealth::StreamHealth;
    detail::Abandoned abandoned = false;
  };
  /// What all handles of a stream that others keep have in common, and only they: events and works
  /// have the health itself, and may outlive them.
  struct Handles {
    std::shared_ptr<Health> health;
  };
  static std::shared_ptr<const Handles> handles_of(const CudaContext& context, CUstream stream);
  /// Makes a call of the driver's in this stream's context, unless the stream has failed.
  template <class Enqueue>
  Status call(const char* function, const Enqueue& enqueue);
  Status hold(const class SoftEvent& event);
  Result<bool> reached() const;

  std::shared_ptr<const CudaContext> context_;
  CUstream stream_;
  std::shared_ptr<const Handles> borrowed_;  ///< null: its own
  std::shared_ptr<Health> health_;
  std::shared_ptr<CudaGates> gates_;  ///< made when first used
};

}  // namespace rondo::device
