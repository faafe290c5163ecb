#include "core/device/stream_order.h"

#include <utility>

#include "core/device/driver.h"

namespace rondo::device {

Result<std::shared_ptr<StreamOrder>> StreamOrder::enter(detail::StreamImpl& stream) {
  std::shared_ptr<StreamOrder> order(new StreamOrder());
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

void StreamOrder::leave(const Status& outcome) {
  std::shared_ptr<Completion> open;
  {
    const std::lock_guard lock(mutex_);
    open = std::exchange(open_, nullptr);
  }
  if (open != nullptr) open->finish(outcome);
}

}  // namespace rondo::device
