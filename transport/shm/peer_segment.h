#pragma once

// A peer process's registered memory as this process sees it. Mapped part by part as the peer
// announces more, kept as long as anybody here uses it; also when its owner is dead, what is
// mapped stays readable. One per peer process, shared by the connections to its places.
// Threads: any; a lock is taken only to map more.

#include <cstdint>
#include <memory>
#include <mutex>

#include "core/status.h"
#include "transport/shm/segment_window.h"

namespace rondo::transport {

class PeerSegment {
 public:
  /// The segment behind a received descriptor; the same object for the same segment.
  /// Errors: DataLoss (not sealed), System.
  static Result<std::shared_ptr<PeerSegment>> open(UniqueFd fd);

  PeerSegment(UniqueFd fd, SegmentWindow window) : fd_(std::move(fd)), window_(std::move(window)) {}

  /// Errors: DataLoss for a range outside the segment, System.
  Result<std::byte*> address_of(std::uint64_t offset, std::size_t bytes) {
    if (std::byte* address = window_.address_of(offset, bytes)) return address;
    return grow_to(offset, bytes);
  }

 private:
  Result<std::byte*> grow_to(std::uint64_t offset, std::size_t bytes);

  UniqueFd fd_;
  SegmentWindow window_;
  std::mutex mutex_;
};

}  // namespace rondo::transport
