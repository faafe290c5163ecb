#pragma once

// A buffer of the benchmark, in one of the two kinds of host memory that users have.
// Threads: any.

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>

#include "rondo/communicator.h"

namespace rondo::tool {

class BenchMemory {
 public:
  /// Errors: rondo::Error (System) where there is no memory.
  BenchMemory(std::size_t bytes, bool registered);
  std::byte* data() const { return data_; }

 private:
  struct Free {
    void operator()(void* pointer) const { std::free(pointer); }
  };
  std::optional<RegisteredMemory> registered_;
  std::unique_ptr<void, Free> ordinary_;
  std::byte* data_ = nullptr;
};

}  // namespace rondo::tool
