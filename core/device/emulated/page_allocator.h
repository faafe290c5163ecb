#pragma once

// Which pages of one fixed range are free: first fit, neighbours joined again on free. Offsets
// only; whose memory the range is doesn't matter here.
// Threads: one at a time.

#include <cstddef>
#include <map>
#include <optional>

namespace rondo::device {

class PageAllocator {
 public:
  static constexpr std::size_t kPageBytes = 4096;

  /// `capacity_bytes` is rounded down to whole pages.
  explicit PageAllocator(std::size_t capacity_bytes);

  /// The offset of `bytes` (at least 1) rounded up to whole pages; nothing where no gap is large
  /// enough.
  std::optional<std::size_t> allocate(std::size_t bytes);
  /// Takes back what `allocate` gave; the bytes it had, 0 where `offset` is not the start of an
  /// allocation.
  std::size_t free(std::size_t offset);

  std::size_t largest_gap_bytes() const;

 private:
  /// offset -> bytes; no two gaps touch.
  std::map<std::size_t, std::size_t> gaps_;
  std::map<std::size_t, std::size_t> allocations_;
};

}  // namespace rondo::device
