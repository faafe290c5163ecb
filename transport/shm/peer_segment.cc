#include "transport/shm/peer_segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/process_limits.h"

namespace rondo::transport {
namespace {

// Where addresses abound, a window takes one share of so many: no host has as many processes, and
// hardly a segment outgrows it.
constexpr std::uint64_t kShares = 1024;

// Where they are few, it is twice as large as it has to be, for growth, but takes no more of what
// is left than one share of so many: other peers have segments, too.
constexpr std::uint64_t kSpareShares = 16;

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
  auto segment = std::make_shared<PeerSegment>(std::move(fd));
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
  if (windows_.empty() || segment_bytes > windows_.back()->max_bytes()) {
    RONDO_TRY(open_window(segment_bytes));
  } else {
    RONDO_TRY(windows_.back()->extend(fd_.get(), segment_bytes));
  }
  return windows_.back()->address_of(offset, bytes);
}

Status PeerSegment::open_window(std::size_t segment_bytes) {
  constexpr std::size_t kUnit = SegmentWindow::kHugePageBytes;
  const std::size_t least_bytes =
      std::max<std::size_t>((segment_bytes + kUnit - 1) / kUnit, 1) * kUnit;
  const std::uint64_t available_bytes = available_address_bytes();
  const std::size_t spare_bytes =
      std::min<std::size_t>(least_bytes, available_bytes / kSpareShares / kUnit * kUnit);
  const std::size_t share_bytes = std::min<std::size_t>(available_bytes / kShares / kUnit * kUnit,
                                                        SegmentWindow::largest_segment_bytes());
  RONDO_ASSIGN(
      SegmentWindow reserved,
      SegmentWindow::reserve(std::max(least_bytes + spare_bytes, share_bytes), least_bytes));
  auto window = std::make_unique<SegmentWindow>(std::move(reserved));
  RONDO_TRY(window->extend(fd_.get(), segment_bytes));
  if (!windows_.empty()) windows_.back()->close();
  windows_.push_back(std::move(window));
  window_.store(windows_.back().get(), std::memory_order_release);
  return {};
}

}  // namespace rondo::transport
