#pragma once

// What a call on devices waits for: streams for events, and hosts for what streams have done.

#include <cstdint>

namespace rondo::execute {

/// A test leaves one out, to see that it is missed.
enum class DeviceWait : std::uint8_t {
  kReady,    ///< a stream, for what the caller's does before the call
  kMessage,  ///< a stream, for a peer's bytes
  kGoodbye,  ///< a stream, for a peer that reads and writes this rank's memory
  kLanes,    ///< the first lane's stream, for all others
  kSweep,    ///< a lane's stream, for the sweep of another lane that the schedule has it wait for
  kAnswer,   ///< and for what that has sent to be read
  kPayload,  ///< the copy into a page-locked slot, for the lane whose bytes are sent
  kCopied,   ///< the host, for a slot to be filled before it is sent
  kRead,     ///< the host, for a slot to be read before it is received into again
};

}  // namespace rondo::execute
