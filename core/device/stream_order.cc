#include "core/device/stream_order.h"

#include <fmt/format.h>

#include <utility>

#include "core/device/driver.h"

namespace rondo::device {

Result<std::shared_ptr<StreamOrder>> StreamOrder::enter(detail::StreamImpl& stream) {
  std::shared_ptr<StreamOrder> order(new StreamOrder(stream.device()));
  RONDO_ASSIGN(DeviceDriver * driver, driver_of(stream.device()));
  RONDO_ASSIGN(order->ready_, driver->create_event(stream.device().index));
  RONDO_TRY(stream.record(*order->ready_));
  order->open_ = order->gate_.begin_record();
  RONDO_TRY(stream.wait(order->gate_));
  return order;
}

// A call that nobody carried out: the stream isn't to stand still for ever.
StreamOrder::~StreamOrder() {
  leave(Status(ErrorCode::kCancelled, "a call in a stream was given up before it was made"));
}

/// Nobody is its culprit: others may wait for the stream, who count their ranks otherwise than
/// those of the call.
Status StreamOrder::as_of_stream(const Status& outcome) const {
  if (outcome.ok()) return {};
  return Status(ErrorCode::kDevice, fmt::format("a call in a stream of {} failed: {}",
                                                name_of(device_), outcome.to_string()));
}

void StreamOrder::leave(const Status& outcome) {
  std::shared_ptr<Completion> open;
  {
    const std::lock_guard lock(mutex_);
    open = std::exchange(open_, nullptr);
  }
  if (open != nullptr) open->finish(as_of_stream(outcome));
}

}  // namespace rondo::device
