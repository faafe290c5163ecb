#pragma once

// Memory that calls are timed on. Threads: one at a time.

#include <cstddef>

#include "core/status.h"
#include "rondo/memory_kind.h"

namespace rondo::communicator {

/// Begins on a page: how source and target lie to each other decides how fast copies are, and is to
/// be the same whenever something is timed.
class TimedFloats {
 public:
  explicit TimedFloats(MemoryKind memory) : memory_(memory) {}
  ~TimedFloats() { free(); }
  TimedFloats(const TimedFloats&) = delete;
  TimedFloats& operator=(const TimedFloats&) = delete;

  /// At least so many; what was there is gone. Errors: System (no memory).
  Status reserve(std::size_t count);
  float* data() const { return data_; }
  MemoryKind memory() const { return memory_; }

 private:
  Result<float*> allocate(std::size_t bytes) const;
  void free();

  MemoryKind memory_;
  float* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace rondo::communicator
