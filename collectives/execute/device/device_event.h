#pragma once

// An event that peers wait for, with all that they have to be told of it.

#include <memory>
#include <utility>

#include "collectives/execute/device/device_place.h"
#include "collectives/execute/device/notice.h"
#include "core/device/stream.h"
#include "core/status.h"

namespace rondo::execute {

class DeviceEvent {
 public:
  /// `exported`: for other processes too. Errors: Device, System.
  static Result<DeviceEvent> make(DevicePlace& place, bool exported) {
    DeviceEvent made;
    device::DeviceDriver& driver = place.driver();
    if (!exported) {
      RONDO_ASSIGN(made.event_, driver.create_event(place.device().index));
      return made;
    }
    RONDO_ASSIGN(made.event_, driver.create_shared_event(place.device().index));
    RONDO_ASSIGN(made.handle_, driver.export_event(*made.event_));
    return made;
  }

  detail::EventImpl& event() const { return *event_; }
  /// Records it, where a host is to be rung for it. Errors: Device.
  Status record_in(detail::StreamImpl& stream) {
    is_rung_for_ = false;
    return stream.record(*event_);
  }
  /// Rings once the latest `record_in` is reached: asked for once, however often its waiter goes to
  /// sleep. Where the device doesn't, the waiter looks again by itself.
  void ring_when_reached(const std::shared_ptr<Bell>& bell) {
    if (!std::exchange(is_rung_for_, true)) static_cast<void>(event_->ring_when_reached(bell));
  }
  /// Of number 0 where it isn't exported.
  const device::SharedHandle& handle() const { return handle_; }
  Notice notice() const {
    return {.event = reinterpret_cast<std::uint64_t>(event_.get()),
            .handle = handle_,
            .has_event = true};
  }

 private:
  DeviceEvent() = default;

  std::shared_ptr<detail::EventImpl> event_;
  device::SharedHandle handle_{};
  bool is_rung_for_ = false;
};

}  // namespace rondo::execute
