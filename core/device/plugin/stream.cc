#include "core/device/plugin/stream.h"

#include <fmt/format.h>

#include <utility>

#include "core/device/driver.h"
#include "core/device/patience.h"
#include "core/device/plugin/table.h"
#include "core/device/soft_event.h"
#include "core/log.h"

namespace rondo::device {
namespace {

/// For a stream that was given up to come to rest.
constexpr std::chrono::milliseconds kRest{1000};

/// Of a stream whose end that is; null: nobody can tell.
bool is_at_rest(const std::shared_ptr<const PluginEvent>& end) {
  const Result<bool> reached = end == nullptr ? false : end->reached();
  return reached.ok() && *reached;
}

}  // namespace

PluginEvent::PluginEvent(const PluginDriver& driver, int device, rondo_plugin_event event)
    : driver_(driver),
      device_(device),
      event_(
          event,
          [&driver, device](rondo_plugin_event own) {
            driver.give_back([&driver, device, own] { driver.table().destroy_event(device, own); });
          }),
      watch_(std::make_shared<EventWatch>(driver.table(), device, event_)) {}

Result<bool> PluginEvent::reached() const { return watch_->is_reached(); }

void PluginEvent::record_by(const std::shared_ptr<StreamHealth>& health) const {
  watch_->forget();
  record_health_->record(health);
}

bool PluginEvent::done() const {
  const Result<bool> is = reached();
  return !is.ok() || *is;
}

detail::EventWaiter PluginEvent::waiter() const {
  return [&table = driver_.table(), device = device_, event = event_,
          health = record_health_](const detail::Abandoned& abandoned) -> Status {
    // Of its own: another process records events that it has given to this one without a word.
    EventWatch watch(table, device, event);
    Patience patience;
    for (;;) {
      RONDO_ASSIGN(const bool reached, watch.is_reached());
      if (reached) break;
      if (abandoned.load(std::memory_order_relaxed)) return given_up();
      patience.wait();
    }
    RONDO_TRY(plugin_status(table, device, "synchronize_event",
                            table.synchronize_event(device, event.get())));
    return health->failure();
  };
}

PluginStream::~PluginStream() {
  if (is_immediate()) return;
  if (is_abandoned()) settle();
  if (!left_) driver_.table().destroy_stream(device_.index, stream_);
}

Status PluginStream::called(const char* function, int code) const {
  return driver_.called(device_.index, function, code);
}

Status PluginStream::kept(const Status& status) {
  health_->fail(status);
  return is_immediate() ? Status() : status;
}

Status PluginStream::copy(void* target, const void* source, std::size_t bytes) {
  if (bytes == 0 || !failure().ok()) return {};
  const rondo_device_table& table = driver_.table();
  if (is_immediate()) return kept(called("copy", table.copy(device_.index, target, source, bytes)));
  if (table.copy_async == nullptr) return copy_behind_all(target, source, bytes);
  return kept(
      called("copy_async", table.copy_async(device_.index, stream_, target, source, bytes)));
}

/// The caller waits for what the stream has been given.
Status PluginStream::copy_behind_all(void* target, const void* source, std::size_t bytes) {
  const rondo_device_table& table = driver_.table();
  RONDO_TRY(kept(called("synchronize_stream", table.synchronize_stream(device_.index, stream_))));
  return kept(called("copy", table.copy(device_.index, target, source, bytes)));
}

Status PluginStream::launch(std::function<Status()> /*kernel*/) {
  return Status(ErrorCode::kUnsupported,
                fmt::format("{} runs kernels of its plug-in alone", name_of(device_)));
}

Status PluginStream::reduce(rondo_reduce_kernel kernel, const rondo_reduction& reduction) {
  if (!failure().ok()) return {};
  return kept(called("a reduce kernel", kernel(device_.index, stream_, &reduction)));
}

Status PluginStream::record(detail::EventImpl& event) {
  if (is_immediate()) {
    static_cast<SoftEvent&>(event).begin_record()->finish(failure());
    return {};
  }
  const auto& own = static_cast<PluginEvent&>(event);
  const bool had_failed = !failure().ok();
  Status outcome;
  // Behind a failure, too: what came before that may still be under way.
  if (!is_abandoned()) {
    outcome = kept(called(
        "record_event", driver_.table().record_event(device_.index, stream_, own.native_event())));
  }
  own.record_by(health_);
  return had_failed ? Status() : outcome;
}

Status PluginStream::wait(const detail::EventImpl& event) {
  if (is_abandoned()) return {};
  const auto* const own = dynamic_cast<const PluginEvent*>(&event.native());
  if (own == nullptr || &own->driver() != &driver_) {
    // Another kind's: the host waits for it.
    Status outcome = event.waiter()(abandoned_);
    health_->fail(stream_error(device_, outcome));
    return is_immediate() ? Status() : outcome;
  }
  RONDO_TRY(kept(called("wait_event",
                        driver_.table().wait_event(device_.index, stream_, own->native_event()))));
  own->record_health().follow(health_);
  return {};
}

Status PluginStream::synchronize() {
  if (is_immediate()) return failure();
  if (is_abandoned()) {
    settle();
    return failure();
  }
  RONDO_TRY(
      called("synchronize_stream", driver_.table().synchronize_stream(device_.index, stream_)));
  return failure();
}

void PluginStream::abandon(const Status& cause) {
  const std::lock_guard lock(abandoning_);
  if (is_abandoned()) return;
  health_->fail(cause);
  rests_by_ = std::chrono::steady_clock::now() + kRest;
  abandoned_.store(true, std::memory_order_release);
}

/// A table has nothing that ends what a stream is at: a peer's event, say, that is never reached.
void PluginStream::settle() {
  if (is_immediate() || std::exchange(settled_, true)) return;
  const rondo_device_table& table = driver_.table();
  rondo_plugin_event event = nullptr;
  if (table.create_event(device_.index, &event) != 0) return leave(nullptr);
  auto end = std::make_shared<const PluginEvent>(driver_, device_.index, event);
  if (table.record_event(device_.index, stream_, event) != 0) return leave(nullptr);
  Patience patience;
  while (std::chrono::steady_clock::now() < rests_by_) {
    if (is_at_rest(end)) return;
    patience.wait();
  }
  if (!is_at_rest(end)) leave(end);
}

/// `end` is reached when it is at rest; null: nobody will know.
void PluginStream::leave(const std::shared_ptr<const PluginEvent>& end) {
  left_ = true;
  log(LogLevel::kWarn, [this] {
    return fmt::format(
        "a stream of {} was given up, but is at work {} ms later: it is left to itself, and what "
        "Rondo has on devices of that kind is given back once it is at rest; don't free or reuse "
        "the buffers of the call before",
        name_of(device_), kRest.count());
  });
  driver_.leave_behind([end] { return is_at_rest(end); },
                       [end, &table = driver_.table(), index = device_.index, stream = stream_] {
                         table.destroy_stream(index, stream);
                       });
}

}  // namespace rondo::device
