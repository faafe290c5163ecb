#pragma once

// Words of the host's that streams stand still at (cuStreamWaitValue32), and who stands behind one:
// by itself, or by an event of a stream that does. A driver that copies pageable memory there keeps
// its lock until the stream gets so far; where it is a call of this process that would let it go
// on, that is for ever.

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace fake_cuda {

struct Gate {
  bool is_closed() const;

  std::uint32_t* word = nullptr;  ///< while it isn't passed
  std::uint32_t value = 0;
  std::atomic<bool> is_passed = false;
};

/// Those of a stream, or of an event as it was recorded last. Threads: any.
class Gates {
 public:
  void add(std::shared_ptr<const Gate> gate);
  /// Behind all that `other` is behind, too.
  void follow(const Gates& other);
  /// What `other` is behind now, and nothing else.
  void copy(const Gates& other);
  bool any_closed() const;

 private:
  std::vector<std::shared_ptr<const Gate>> all_;
};

}  // namespace fake_cuda
