#include "transport/shm/segment_window.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>

#include "core/process_limits.h"
#include "transport/shm/memory_budget.h"

namespace rondo::transport {
namespace {

// Of Linux 6.1 and later; older headers don't name it.
constexpr int kMadviseCollapse = 25;

constexpr std::size_t kMaxSegmentBytes = std::size_t{512} << 30;

}  // namespace

std::size_t SegmentWindow::largest_segment_bytes() {
  const std::size_t host_bytes = total_memory_bytes();
  return std::min(host_bytes / kHugePageBytes * kHugePageBytes + kHugePageBytes, kMaxSegmentBytes);
}

Result<SegmentWindow> SegmentWindow::reserve(std::size_t wanted_bytes, std::size_t least_bytes) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  for (std::size_t bytes = std::max(wanted_bytes, least_bytes);;
       bytes = std::max(bytes / 2, least_bytes)) {
    const std::size_t reserved_bytes = bytes + kHugePageBytes;
    void* start = ::mmap(nullptr, reserved_bytes, PROT_NONE, kFlags, -1, 0);
    if (start == MAP_FAILED) {
      if (bytes > least_bytes) continue;
      return mapping_error("reserving addresses for registered memory", reserved_bytes, errno);
    }
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    const std::size_t lead_bytes = (kHugePageBytes - address % kHugePageBytes) % kHugePageBytes;
    Mapping reservation(static_cast<std::byte*>(start), reserved_bytes);
    std::byte* base = reservation.data() + lead_bytes;
    return SegmentWindow(std::move(reservation), base, bytes);
  }
}

Status SegmentWindow::extend(int fd, std::size_t bytes) {
  const std::size_t mapped = mapped_bytes_.load(std::memory_order_relaxed);
  if (bytes <= mapped) return {};
  if (bytes > max_bytes_)
    return Status(ErrorCode::kSystem,
                  fmt::format("a segment of {} bytes doesn't fit the {} bytes of addresses that "
                              "are reserved for it",
                              bytes, max_bytes_));
  const std::size_t added_bytes = bytes - mapped;
  void* part = ::mmap(base_ + mapped, added_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                      fd, static_cast<off_t>(mapped));
  if (part == MAP_FAILED) return mapping_error("mapping a registered segment", added_bytes, errno);
  // Huge pages where the kernel gives them: fewer faults here and in every peer. A refusal is fine.
  if (::madvise(part, added_bytes, kMadviseCollapse) != 0)
    ::madvise(part, added_bytes, MADV_HUGEPAGE);
  ::madvise(part, added_bytes, MADV_POPULATE_WRITE);
  mapped_bytes_.store(bytes, std::memory_order_release);
  return {};
}

void SegmentWindow::close() {
  max_bytes_ = mapped_bytes_.load(std::memory_order_relaxed);
  const auto lead_bytes = static_cast<std::size_t>(base_ - reservation_.data());
  const std::size_t used_bytes =
      (lead_bytes + max_bytes_ + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  reservation_.shrink(used_bytes);
}

}  // namespace rondo::transport
