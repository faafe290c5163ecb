#include "core/device/plugin/event_watch.h"

#include <fmt/format.h>

#include <system_error>
#include <thread>
#include <utility>

#include "core/device/plugin/table.h"

namespace rondo::device {

void EventWatch::forget() {
  const std::lock_guard lock(mutex_);
  reached_ = nullptr;
}

Result<bool> EventWatch::is_reached() {
  if (table_.query_event != nullptr) {
    int done = 0;
    RONDO_TRY(plugin_status(table_, device_, "query_event",
                            table_.query_event(device_, event_.get(), &done)));
    return done != 0;
  }
  const std::lock_guard lock(mutex_);
  if (reached_ == nullptr) {
    auto reached = std::make_shared<std::atomic<bool>>(false);
    // Nobody waits for the thread: an event that is never reached keeps it. What it ends with is
    // told to whoever synchronizes then.
    try {
      std::thread([&table = table_, device = device_, event = event_, reached]() mutable {
        table.synchronize_event(device, event.get());
        event = nullptr;
        reached->store(true, std::memory_order_release);
      }).detach();
    } catch (const std::system_error& error) {
      return Status(ErrorCode::kSystem,
                    fmt::format("no thread to wait for an event of a device without query_event: "
                                "{}",
                                error.what()));
    }
    reached_ = std::move(reached);
  }
  return reached_->load(std::memory_order_acquire);
}

}  // namespace rondo::device
