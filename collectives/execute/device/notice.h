#pragma once

// What ranks of devices tell each other in place of a message's bytes, which stay in the device's
// memory: where they lie, and the event after which they may be read. Plain bytes, between
// processes of one host.

#include <array>
#include <cstdint>
#include <type_traits>

#include "collectives/schedule/op.h"
#include "core/device/shared_handle.h"

namespace rondo::execute {

/// One of the memories that a call uses. The address is good inside a process, the handle outside.
struct Region {
  std::uint64_t address = 0;  ///< 0: there is none
  device::SharedHandle handle{};
};

/// Before anything else of a call: where the sender's buffers lie, by schedule::BufferRole.
struct Regions {
  std::array<Region, 3> list{};
  std::uint64_t gone = 0;    ///< so many GoneHandles follow
  std::uint64_t closed = 0;  ///< of the receiver's that were gone, all calls together
};

/// What its owner has given back: whoever has opened it closes that.
struct GoneHandle {
  std::uint64_t number = 0;  ///< SharedHandle::allocation
  std::int32_t process = 0;
  device::SharedKind what = device::SharedKind::kMemory;
};

/// An event of the sender's, after which what goes with it has been done; or none, where it was so
/// before the call.
struct Notice {
  std::uint64_t event = 0;        ///< inside a process: its address
  device::SharedHandle handle{};  ///< outside
  std::uint64_t offset = 0;       ///< of the message's bytes, in the region of `role`
  std::uint64_t bytes = 0;
  schedule::BufferRole role = schedule::BufferRole::kInput;
  bool stored = false;     ///< they are in the receiver's memory already
  bool has_event = false;  ///< there is something to wait for
  bool asks = false;       ///< of a message: its sender wants an answer when it has been read
  std::uint16_t lane = 0;  ///< of an answer: the message's
};

static_assert(std::is_trivially_copyable_v<Regions> && std::is_trivially_copyable_v<Notice> &&
              std::is_trivially_copyable_v<GoneHandle>);

}  // namespace rondo::execute
