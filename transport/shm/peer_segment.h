#pragma once

// A peer process's registered memory as this process sees it. Mapped part by part as the peer
// announces more, kept as long as anybody here uses it; also when its owner is dead, what is
// mapped stays readable. One per peer process, shared by the connections to its places.
//
// Nobody says how large a segment will become, and addresses for the largest possible of each of
// many peers are more than there are. So a segment that outgrows its window is mapped once more, in
// a larger one; the smaller stays, for what was found there is still in use.
// Threads: any; a lock is taken only to map more.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/status.h"
#include "transport/shm/segment_window.h"

namespace rondo::transport {

class PeerSegment {
 public:
  /// The segment behind a received descriptor; the same object for the same segment.
  /// Errors: DataLoss (not sealed), System.
  static Result<std::shared_ptr<PeerSegment>> open(UniqueFd fd);

  explicit PeerSegment(UniqueFd fd) : fd_(std::move(fd)) {}

  /// Valid as long as this object; another call may give another address for the same bytes.
  /// Errors: DataLoss for a range outside the segment, System.
  Result<std::byte*> address_of(std::uint64_t offset, std::size_t bytes) {
    if (const SegmentWindow* window = window_.load(std::memory_order_acquire))
      if (std::byte* address = window->address_of(offset, bytes)) return address;
    return grow_to(offset, bytes);
  }

 private:
  Result<std::byte*> grow_to(std::uint64_t offset, std::size_t bytes);
  Status open_window(std::size_t segment_bytes);

  UniqueFd fd_;
  std::vector<std::unique_ptr<SegmentWindow>> windows_;  ///< each larger than those before
  std::atomic<SegmentWindow*> window_ = nullptr;         ///< the last one
  std::mutex mutex_;
};

}  // namespace rondo::transport
