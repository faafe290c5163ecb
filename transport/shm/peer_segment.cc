#include "transport/shm/peer_segment.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace rondo::transport {
namespace {

// A segment is known by its file, so that several connections to a process share one mapping.
std::mutex known_mutex;
std::map<FileId, std::weak_ptr<PeerSegment>>& known_segments() {
  static auto& known = *new std::map<FileId, std::weak_ptr<PeerSegment>>;
  return known;
}

}  // namespace

Result<std::shared_ptr<PeerSegment>> PeerSegment::open(UniqueFd fd) {
  RONDO_TRY(sealed_bytes(fd.get()).status());
  RONDO_ASSIGN(const FileId file, file_id(fd.get()));
  const std::lock_guard lock(known_mutex);
  auto& known = known_segments();
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  auto& entry = known[file];
  if (auto segment = entry.lock()) return segment;
  RONDO_ASSIGN(SegmentWindow window,
               SegmentWindow::reserve(SegmentWindow::largest_segment_bytes()));
  auto segment = std::make_shared<PeerSegment>(std::move(fd), std::move(window));
  entry = segment;
  return segment;
}

Result<std::byte*> PeerSegment::grow_to(std::uint64_t offset, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  RONDO_ASSIGN(const std::uint64_t segment_bytes, sealed_bytes(fd_.get()));
  if (offset > segment_bytes || bytes > segment_bytes - offset)
    return Status(ErrorCode::kDataLoss,
                  fmt::format("a peer named {} bytes at offset {} of its registered memory, which "
                              "has {} bytes",
                              bytes, offset, segment_bytes));
  RONDO_TRY(window_.extend(fd_.get(), segment_bytes));
  return window_.address_of(offset, bytes);
}

}  // namespace rondo::transport
