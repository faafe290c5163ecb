#pragma once

// Registered memory for one call at a time, kept for the next: as large as the largest asked for.

#include <cstddef>
#include <optional>

#include "core/status.h"
#include "rondo/communicator.h"

namespace rondo::communicator {

class GrowingMemory {
 public:
  /// What it held is gone where it had to grow. Errors: System.
  Result<std::byte*> at_least(std::size_t bytes);

 private:
  std::optional<RegisteredMemory> memory_;
};

}  // namespace rondo::communicator
