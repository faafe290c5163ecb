#pragma once

// What peers of other processes have been given handles of, and have to be told is gone: memory
// that was freed, events of plans that are no more. They keep open what they have opened, since the
// same buffers come again and again; so in the next call with each of them it is told (closing.h).
// And what becomes of it then: memory may stay until all have confirmed (DeviceDriver::keep).
// Threads: those of the place, one at a time; `take_back` any.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "collectives/execute/device/notice.h"
#include "core/device/driver.h"
#include "core/device/shared_handle.h"

namespace rondo::execute {

class GivenHandles {
 public:
  /// As many as one call tells a peer.
  static constexpr std::size_t kMostAtOnce = 512;

  /// Borrows the driver, until `let_all_go`.
  explicit GivenHandles(device::DeviceDriver& driver) : driver_(driver) {}

  /// The peer is told where that memory lies.
  void give(int peer, const device::SharedHandle& memory);
  /// Looks what has been freed of that, where anything was freed or given since the last time.
  void find_freed();
  /// These events, which the peers may have opened, are gone. Threads: any.
  void take_back(std::span<const int> peers, std::span<const device::SharedHandle> events);
  /// The next that the peer is to be told; it counts as told from then on.
  void next_for(int peer, std::vector<GoneHandle>& gone);
  /// So many of what the peer was told, from the first on, it has closed.
  void confirm(int peer, std::uint64_t closed);
  /// No peer opens or has open any more what it has been given.
  void let_all_go();

 private:
  struct Peer {
    std::map<std::uint64_t, device::SharedHandle> memory;  ///< by its number
    std::vector<device::SharedHandle> gone;                ///< it hasn't been told yet
    std::deque<device::SharedHandle> told;                 ///< it hasn't confirmed yet
    std::uint64_t confirmed = 0;
  };
  void collect_taken_back();
  void let_go(const device::SharedHandle& handle);

  device::DeviceDriver& driver_;
  std::map<int, Peer> peers_;
  std::uint64_t frees_seen_ = 0;
  bool has_new_ = false;
  std::atomic<bool> has_taken_back_ = false;
  std::mutex mutex_;
  std::map<int, std::vector<device::SharedHandle>>
      taken_back_;  ///< by peer, until the place's thread comes
};

}  // namespace rondo::execute
