#pragma once

// Where in a growing range of bytes there is room: first fit, neighbours joined again when freed.
// Pure bookkeeping of offsets; knows no memory. Threads: one at a time.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace rondo::transport {

class FreeList {
 public:
  /// `bytes` > 0 are rounded up: to cache lines, from a page on to pages.
  static std::size_t rounded(std::size_t bytes);

  /// Adds [offset, offset + bytes), which must not be known yet.
  void grow(std::uint64_t offset, std::size_t bytes);
  /// The offset, aligned as `rounded` says; nothing where no gap is large enough.
  std::optional<std::uint64_t> allocate(std::size_t bytes);
  /// False if nothing is allocated at `offset`.
  bool free(std::uint64_t offset);
  /// What is allocated around `offset` stays used for good: `free` doesn't know it any more. How
  /// many bytes that are; 0 where nothing is.
  std::size_t abandon(std::uint64_t offset);

  std::size_t used_bytes() const { return used_bytes_; }
  std::size_t gap_count() const { return gaps_.size(); }

 private:
  using Ranges = std::map<std::uint64_t, std::size_t>;
  void add_gap(std::uint64_t offset, std::size_t bytes);
  Ranges gaps_;
  Ranges allocated_;
  std::size_t used_bytes_ = 0;
};

}  // namespace rondo::transport
