#pragma once

// Buffers of one endpoint for views of messages that no single piece of shared memory holds. They
// are kept and used again, so a steady pattern of calls allocates nothing.
// Threads: one at a time.

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

namespace rondo::transport {

class Staging {
 public:
  /// The smallest free buffer of at least `bytes`, or a new one; -1 without memory for it.
  int acquire(std::size_t bytes);
  std::byte* data(int buffer) { return buffers_[static_cast<std::size_t>(buffer)].memory.get(); }
  void release(int buffer) { buffers_[static_cast<std::size_t>(buffer)].used = false; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  struct Buffer {
    std::unique_ptr<std::byte, Free> memory;
    std::size_t bytes = 0;
    bool used = false;
  };
  std::vector<Buffer> buffers_;
};

}  // namespace rondo::transport
