#pragma once

// Events of CUDA devices: of this process, or opened from another one's handle.

#include <memory>

#include "core/device/cuda/context.h"
#include "core/device/stream.h"
#include "core/device/stream_health.h"
#include "core/status.h"

namespace rondo::device {

/// Threads: any.
class CudaEvent final : public detail::EventImpl {
 public:
  /// Whether other processes may wait for it, too: a context has room for a few thousand of those,
  /// and says then that it is out of memory.
  enum class Seen { kByThisProcess, kByOthers };
  /// Without times. Errors: Device.
  static Result<std::shared_ptr<CudaEvent>> make(std::shared_ptr<const CudaContext> context,
                                                 Seen seen);
  /// Takes the event over.
  CudaEvent(std::shared_ptr<const CudaContext> context, CUevent event);

  bool done() const override;
  Result<bool> reached() const override { return owned_->reached(); }
  /// For the host, and for streams of other kinds. A record that is made before it returns is the
  /// one that it waits for.
  detail::EventWaiter waiter() const override;
  Status ring_when_reached(const std::shared_ptr<Bell>& bell) const override;
  /// As it was recorded last, by a stream of this process.
  void recorded_behind(const std::shared_ptr<StreamHealth>& stream) const {
    owned_->record.record(stream);
  }
  /// `stream` fails where what it waits for by this event has.
  void followed_by(const std::shared_ptr<StreamHealth>& stream) const {
    owned_->record.follow(stream);
  }
  CUevent native_event() const { return owned_->event; }
  const CudaContext& context() const { return *owned_->context; }

 private:
  /// Outlives the event where somebody still waits for it.
  struct Owned {
    Owned(std::shared_ptr<const CudaContext> of, CUevent made)
        : context(std::move(of)), event(made) {}
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned();
    /// True once it is reached. Errors: Device.
    Result<bool> reached() const;

    std::shared_ptr<const CudaContext> context;
    CUevent event;
    RecordHealth record;
  };

  std::shared_ptr<Owned> owned_;
};

}  // namespace rondo::device
