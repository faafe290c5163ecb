#include "core/device/plugin/stream.h"

#include <fmt/format.h>

#include <utility>

#include "core/device/plugin/table.h"
#include "core/device/soft_event.h"

namespace rondo::device {

PluginEvent::PluginEvent(const PluginDriver& driver, int device, rondo_plugin_event event)
    : driver_(driver), device_(device), event_(event, [&driver, device](rondo_plugin_event own) {
        driver.table().destroy_event(device, own);
      }) {}

bool PluginEvent::done() const {
  int done = 0;
  // What can't be asked is taken for over: whoever waits for it is told why it isn't.
  return driver_.table().query_event(device_, event_.get(), &done) != 0 || done != 0;
}

detail::EventWaiter PluginEvent::waiter() const {
  return [&table = driver_.table(), device = device_,
          event = event_](const detail::Abandoned& /*abandoned*/) {
    return plugin_status(table, "synchronize_event", table.synchronize_event(device, event.get()));
  };
}

PluginStream::~PluginStream() {
  if (!is_immediate()) driver_.table().destroy_stream(device_.index, stream_);
}

Status PluginStream::called(const char* function, int code) const {
  return stream_error(device_, plugin_status(driver_.table(), function, code));
}

Status PluginStream::keep(Status status) {
  if (failure_.ok()) failure_ = std::move(status);
  return {};
}

Status PluginStream::copy(void* target, const void* source, std::size_t bytes) {
  if (bytes == 0 || !failure_.ok()) return {};
  const rondo_device_table& table = driver_.table();
  if (is_immediate()) return keep(called("copy", table.copy(device_.index, target, source, bytes)));
  return called("copy_async", table.copy_async(device_.index, stream_, target, source, bytes));
}

Status PluginStream::launch(std::function<Status()> /*kernel*/) {
  return Status(ErrorCode::kUnsupported,
                fmt::format("{} runs kernels of its plug-in alone", name_of(device_)));
}

Status PluginStream::reduce(rondo_reduce_kernel kernel, const rondo_reduction& reduction) {
  if (!failure_.ok()) return {};
  Status status = called("a reduce kernel", kernel(device_.index, stream_, &reduction));
  return is_immediate() ? keep(std::move(status)) : status;
}

Status PluginStream::record(detail::EventImpl& event) {
  if (is_immediate()) {
    static_cast<SoftEvent&>(event).begin_record()->finish(failure_);
    return {};
  }
  const auto& own = static_cast<PluginEvent&>(event);
  return called("record_event",
                driver_.table().record_event(device_.index, stream_, own.native_event()));
}

Status PluginStream::wait(const detail::EventImpl& event) {
  const auto* const own = dynamic_cast<const PluginEvent*>(&event.native());
  if (own == nullptr || &own->driver() != &driver_) {
    // Another kind's: the host waits for it.
    Status outcome = event.wait();
    return is_immediate() ? keep(std::move(outcome)) : outcome;
  }
  return called("wait_event",
                driver_.table().wait_event(device_.index, stream_, own->native_event()));
}

Status PluginStream::synchronize() {
  if (is_immediate()) return failure_;
  return called("synchronize_stream", driver_.table().synchronize_stream(device_.index, stream_));
}

}  // namespace rondo::device
