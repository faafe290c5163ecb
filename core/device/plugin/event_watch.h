#pragma once

// Whether an event of a plug-in's is reached, asked without waiting. Where the table has no
// query_event a thread waits for it instead, one for each record that somebody asks for.

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "core/status.h"
#include "rondo/device_plugin.h"

namespace rondo::device {

/// Of one event. Threads: any.
class EventWatch {
 public:
  EventWatch(const rondo_device_table& table, int device,
             std::shared_ptr<rondo_plugin_event_s> event)
      : table_(table), device_(device), event_(std::move(event)) {}

  /// It is recorded anew: what was reached before says nothing any more.
  void forget();
  /// Errors: Device (it can't be asked).
  Result<bool> is_reached();

 private:
  const rondo_device_table& table_;
  int device_;
  std::shared_ptr<rondo_plugin_event_s> event_;
  std::mutex mutex_;
  std::shared_ptr<std::atomic<bool>> reached_;  ///< what a thread waits for; null: none does
};

}  // namespace rondo::device
