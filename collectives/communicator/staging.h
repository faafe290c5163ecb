#pragma once

// Buffers of devices that the host can't read, brought through registered host memory: copied in
// before the plan runs and out after it. Exact and slow; a device's own executor replaces it where
// there is one.

#include <cstddef>

#include "collectives/communicator/call_arguments.h"
#include "collectives/communicator/growing_memory.h"
#include "core/status.h"
#include "rondo/device.h"

namespace rondo::communicator {

class Staging {
 public:
  explicit Staging(Device device) : device_(device) {}

  /// Errors: InvalidArgument where a buffer lies on another device than the host or this place's.
  Status check_places(const CallArguments& arguments) const;
  bool needed(const CallArguments& arguments) const;
  /// The same call on host memory that holds the input. Errors: Device, System.
  Result<CallArguments> bring_in(const CallArguments& arguments);
  /// Copies the result back. Errors: Device.
  Status bring_out(const CallArguments& arguments, const CallArguments& staged);
  /// Copies between any two of the host's and this device's memory.
  Status copy(const Buffer& target, const ConstBuffer& source, std::size_t bytes);

 private:
  Device device_;
  GrowingMemory memory_;
};

}  // namespace rondo::communicator
