#pragma once

// Streams and events of a plug-in's devices.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

#include "core/device/plugin/driver.h"
#include "core/device/plugin/event_watch.h"
#include "core/device/stream.h"
#include "core/device/stream_health.h"
#include "core/status.h"
#include "rondo/device_plugin.h"

namespace rondo::device {

class PluginEvent final : public detail::EventImpl {
 public:
  /// Takes the event over. The driver outlives it.
  PluginEvent(const PluginDriver& driver, int device, rondo_plugin_event event);

  bool done() const override;
  Result<bool> reached() const override;
  /// For the host. A record that is made before it runs is the one it waits for.
  detail::EventWaiter waiter() const override;
  const PluginDriver& driver() const { return driver_; }
  int device() const { return device_; }
  rondo_plugin_event native_event() const { return event_.get(); }
  /// By a stream of this process.
  void record_by(const std::shared_ptr<StreamHealth>& health) const;
  /// As it was recorded last, by a stream of this process.
  RecordHealth& record_health() const { return *record_health_; }

 private:
  const PluginDriver& driver_;
  int device_;
  std::shared_ptr<rondo_plugin_event_s> event_;
  std::shared_ptr<RecordHealth> record_health_ = std::make_shared<RecordHealth>();
  std::shared_ptr<EventWatch> watch_;
};

class PluginStream final : public detail::StreamImpl {
 public:
  /// Takes the stream over; null: the device has none, and work is done at once. The driver
  /// outlives it.
  PluginStream(const PluginDriver& driver, Device device, rondo_plugin_stream stream)
      : driver_(driver),
        device_(device),
        stream_(stream),
        health_(std::make_shared<StreamHealth>(device)) {}
  PluginStream(const PluginStream&) = delete;
  PluginStream& operator=(const PluginStream&) = delete;
  /// Waits as long as the plug-in's destroy_stream does; where it was given up, as synchronize.
  ~PluginStream() override;

  Device device() const override { return device_; }
  Status copy(void* target, const void* source, std::size_t bytes) override;
  /// Errors: Unsupported: work of the host has no place in it.
  Status launch(std::function<Status()> kernel) override;
  Status record(detail::EventImpl& event) override;
  Status wait(const detail::EventImpl& event) override;
  /// Where it was given up the device gets a moment to come to rest, and is left with the rest then
  /// (left_behind.h). What it reports then is why.
  Status synchronize() override;
  /// Work that the device has been given stays with it; nobody waits for it any more.
  void abandon(const Status& cause) override;
  Status failure() const override { return health_->now(); }
  Status reduce(rondo_reduce_kernel kernel, const rondo_reduction& reduction);
  /// For the plug-in's library; null: work is done at once.
  rondo_plugin_stream native_stream() const { return stream_; }

 private:
  Status called(const char* function, int code) const;
  bool is_immediate() const { return stream_ == nullptr; }
  bool is_abandoned() const { return abandoned_.load(std::memory_order_acquire); }
  void settle();
  void leave(const std::shared_ptr<const PluginEvent>& end);
  /// What comes of a call that the stream is given. Where work is done at once, it is told later,
  /// as elsewhere.
  Status kept(const Status& status);
  Status copy_behind_all(void* target, const void* source, std::size_t bytes);

  const PluginDriver& driver_;
  Device device_;
  rondo_plugin_stream stream_;
  std::shared_ptr<StreamHealth> health_;
  std::mutex abandoning_;
  detail::Abandoned abandoned_ = false;
  std::chrono::steady_clock::time_point rests_by_;  ///< set before it is abandoned
  bool settled_ = false;
  bool left_ = false;  ///< the driver has the plug-in's stream
};

}  // namespace rondo::device
