// The public Event, Stream and DeviceMemory on top of the drivers: here errors become exceptions.

#include "rondo/device.h"

#include <fmt/format.h>

#include <utility>

#include "core/device/driver.h"
#include "core/device/stream.h"

namespace rondo {
inline namespace v1 {

detail::StreamImpl& detail::DeviceAccess::stream(Stream& handle) { return *handle.impl_; }

namespace {

device::DeviceDriver& driver_or_throw(Device device) {
  return *value_or_throw(device::driver_of(device));
}

}  // namespace

Event::Event(Device device)
    : device_(device), impl_(value_or_throw(driver_or_throw(device).create_event(device.index))) {}

bool Event::done() const { return impl_->done(); }

void Event::wait() const { throw_if_error(impl_->wait()); }

Stream::Stream(Device device)
    : impl_(value_or_throw(driver_or_throw(device).create_stream(device.index))) {}

Stream::Stream(std::shared_ptr<detail::StreamImpl> impl) : impl_(std::move(impl)) {}

Stream Stream::borrow(Device device, void* native) {
  return Stream(value_or_throw(driver_or_throw(device).borrow_stream(device.index, native)));
}

Device Stream::device() const { return impl_->device(); }

void Stream::copy(void* target, const void* source, std::size_t bytes) {
  throw_if_error(impl_->copy(target, source, bytes));
}

void Stream::record(Event& event) {
  if (event.device_ != device()) {
    throw_if_error(Status(ErrorCode::kInvalidArgument,
                          fmt::format("an event of {} can't be recorded in a stream of {}",
                                      device::name_of(event.device_), device::name_of(device()))));
  }
  throw_if_error(impl_->record(*event.impl_));
}

void Stream::wait(const Event& event) { throw_if_error(impl_->wait(*event.impl_)); }

void Stream::synchronize() { throw_if_error(impl_->synchronize()); }

struct DeviceMemory::Block {
  Block(Device place, std::size_t size)
      : driver(driver_or_throw(place)),
        device(place),
        bytes(size),
        pointer(value_or_throw(driver.allocate(place.index, size))) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    if (pointer != nullptr) driver.free(pointer);
  }

  device::DeviceDriver& driver;
  Device device;
  std::size_t bytes;
  void* pointer;
};

DeviceMemory::DeviceMemory(Device device, std::size_t bytes)
    : block_(std::make_shared<Block>(device, bytes)) {}

void* DeviceMemory::data() const { return block_->pointer; }

std::size_t DeviceMemory::bytes() const { return block_->bytes; }

Device DeviceMemory::device() const { return block_->device; }

int device_count(DeviceKind kind) {
  return value_or_throw(value_or_throw(device::driver_of(kind))->device_count());
}

}  // namespace v1
}  // namespace rondo
