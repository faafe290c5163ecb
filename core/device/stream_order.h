#pragma once

// The place that a call has in a stream: after what the stream held when the call was made, before
// what it is given later. Who makes the call on the host's side enters it; the stream stands still
// there until it leaves.

#include <memory>
#include <mutex>

#include "core/device/soft_event.h"
#include "core/device/stream.h"
#include "core/status.h"
#include "rondo/device.h"

namespace rondo::device {

class StreamOrder {
 public:
  /// The stream's kind can wait for the host. Errors: Device.
  static Result<std::shared_ptr<StreamOrder>> enter(detail::StreamImpl& stream);
  StreamOrder(const StreamOrder&) = delete;
  StreamOrder& operator=(const StreamOrder&) = delete;
  ~StreamOrder();

  /// Reached when all is done that the stream held. Threads: any.
  const detail::EventImpl& ready() const { return *ready_; }
  /// Lets the stream go on; it fails with code Device where `outcome` is an error. The first time
  /// counts.
  void leave(const Status& outcome);

 private:
  explicit StreamOrder(Device device) : device_(device) {}
  Status as_of_stream(const Status& outcome) const;

  const Device device_;
  std::shared_ptr<detail::EventImpl> ready_;
  SoftEvent gate_;
  std::mutex mutex_;
  std::shared_ptr<Completion> open_;  ///< null once it has left
};

}  // namespace rondo::device
