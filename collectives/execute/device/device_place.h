#pragma once

// What one place has on its device for all of its calls: a stream for each lane, and what it has
// opened of its peers' memory and events.
// Threads: one at a time, as the place.

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "collectives/execute/device/given_handles.h"
#include "collectives/execute/device/notice.h"
#include "core/device/driver.h"
#include "core/device/stream.h"
#include "core/status.h"
#include "rondo/device.h"

namespace rondo::execute {

class DevicePlace {
 public:
  /// Errors: those of driver_of.
  static Result<std::unique_ptr<DevicePlace>> make(Device device);
  /// The driver outlives the place.
  DevicePlace(Device device, device::DeviceDriver& driver);
  DevicePlace(const DevicePlace&) = delete;
  DevicePlace& operator=(const DevicePlace&) = delete;
  ~DevicePlace();

  Device device() const { return device_; }
  device::DeviceDriver& driver() { return driver_; }

  /// The stream that lane `lane` of every call runs in. Errors: Device. Threads: any.
  Result<detail::StreamImpl*> stream(std::size_t lane);
  /// Page-locked memory for messages of one direction of one (peer, lane), at least so large: the
  /// same for all plans, whose calls are made one at a time. Errors: Device, Unsupported.
  /// Threads: any.
  struct PinnedUse {
    int peer = 0;
    std::uint16_t lane = 0;
    bool sends = false;
    friend auto operator<=>(const PinnedUse&, const PinnedUse&) = default;
  };
  Result<std::shared_ptr<void>> pinned(const PinnedUse& use, std::size_t bytes);
  /// Waits until all work of this place is done, so long at most: where nothing can be given up,
  /// what is under way still reads and writes the buffers of its call.
  void settle(std::chrono::milliseconds most);
  /// Gives up what isn't done of it, as far as the device's kind can.
  void abandon(const Status& cause);
  /// Blocks until all work of this place is done. Errors: Device, with what the work reported.
  Status synchronize();

  /// Where this process sees memory, or an event, of another one; kept open, since the same
  /// buffers come again and again, until its owner says that it is gone; `for_good`: as long as the
  /// place, for a graph has its address. Errors: Device, System, InvalidArgument.
  Result<std::byte*> open_memory(const device::SharedHandle& handle, bool for_good = false);
  /// Whether that has to wait (device::DeviceDriver::import_waits).
  bool opening_waits(const device::SharedHandle& handle);
  Result<detail::EventImpl*> open_event(const device::SharedHandle& handle);
  /// Of that peer's; nothing where it isn't open. No work of this place uses it any more. What is
  /// open for good stays so, and counts as closed: who frees what a graph has gives up the graph.
  void close(const GoneHandle& gone, int peer);
  /// How many of those that were closed so are closed in the driver, too, for all that is known.
  std::uint64_t closed(int peer);
  struct Opened {
    std::size_t memories = 0;
    std::size_t events = 0;
  };
  Opened opened() const { return {memory_.size(), events_.size()}; }

  /// Of this place's memory and events. Shared with plans, which tell it when they are destroyed:
  /// that may be after the place.
  const std::shared_ptr<GivenHandles>& given() const { return given_; }

 private:
  /// A handle; those of one allocation, or of one event, are neighbours.
  struct Key {
    device::SharedHandle handle{};
    bool operator<(const Key& other) const;
  };
  struct OpenMemory {
    std::byte* address = nullptr;
    std::uint64_t last_use = 0;
    bool for_good = false;
  };
  void close_least_used();

  /// More than the buffers of a call: what one call has opened isn't closed in it.
  static constexpr std::size_t kMostOpen = 4096;

  Device device_;
  device::DeviceDriver& driver_;
  mutable std::mutex streams_mutex_;  ///< also of pinned_: plans are made while calls are under way
  std::vector<std::shared_ptr<detail::StreamImpl>> streams_;
  struct Pinned {
    std::shared_ptr<void> memory;
    std::size_t bytes = 0;
  };
  std::map<PinnedUse, Pinned> pinned_;
  std::map<Key, OpenMemory> memory_;
  std::map<Key, std::shared_ptr<detail::EventImpl>> events_;
  std::uint64_t uses_ = 0;
  std::shared_ptr<GivenHandles> given_;
  /// Of each peer's handles that are gone, by rank: how many were heard of, and how many of these
  /// are closed for certain.
  struct Closed {
    std::uint64_t heard = 0;
    std::uint64_t certain = 0;
  };
  std::map<int, Closed> closed_;
};

}  // namespace rondo::execute
