#pragma once

// A growing shared segment seen at one contiguous range of addresses: the range is reserved once,
// and as the segment grows its new part is mapped into the reservation. An offset in the segment
// is then an address by one addition, for the owner and for every peer.
// The reservation starts at a huge-page boundary, so that huge pages can back it.
// Threads: extend() and close() one at a time; the rest any.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/status.h"
#include "transport/shm/memfd.h"

namespace rondo::transport {

class SegmentWindow {
 public:
  static constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

  /// Reserves addresses for a segment of at most `wanted_bytes`; for less, down to `least_bytes`,
  /// where no more are to be had. Errors: System.
  static Result<SegmentWindow> reserve(std::size_t wanted_bytes, std::size_t least_bytes);
  /// What a process of this host can register at most: its memory, up to a limit that leaves
  /// addresses for the segments of many peers.
  static std::size_t largest_segment_bytes();
  SegmentWindow(SegmentWindow&& other) noexcept
      : reservation_(std::move(other.reservation_)),
        base_(other.base_),
        max_bytes_(other.max_bytes_),
        mapped_bytes_(other.mapped_bytes_.load()) {}

  /// Maps [mapped_bytes(), bytes) of `fd`, every page of it present. Errors: System.
  Status extend(int fd, std::size_t bytes);

  /// Gives back the addresses that nothing is mapped at: it is extended no more.
  void close();

  std::size_t max_bytes() const { return max_bytes_; }
  std::size_t mapped_bytes() const { return mapped_bytes_.load(std::memory_order_acquire); }

  /// Null where [offset, offset + bytes) isn't mapped.
  std::byte* address_of(std::uint64_t offset, std::size_t bytes) const {
    const std::size_t mapped = mapped_bytes();
    if (offset > mapped || bytes > mapped - offset) return nullptr;
    return base_ + offset;
  }
  std::optional<std::uint64_t> offset_of(const std::byte* data, std::size_t bytes) const {
    const auto offset =
        reinterpret_cast<std::uintptr_t>(data) - reinterpret_cast<std::uintptr_t>(base_);
    const std::size_t mapped = mapped_bytes();
    if (offset > mapped || bytes > mapped - offset) return std::nullopt;
    return offset;
  }

 private:
  SegmentWindow(Mapping reservation, std::byte* base, std::size_t max_bytes)
      : reservation_(std::move(reservation)), base_(base), max_bytes_(max_bytes) {}

  Mapping reservation_;
  std::byte* base_;
  std::size_t max_bytes_;
  std::atomic<std::size_t> mapped_bytes_ = 0;
};

}  // namespace rondo::transport
