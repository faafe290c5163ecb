#include "transport/shm/registered_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>

#include "core/numa.h"
#include "core/process_limits.h"
#include "transport/shm/memory_budget.h"

namespace rondo::transport {
namespace {

// Left to the rest of the host when the pool grows.
constexpr std::size_t kReserveBytes = std::size_t{64} << 20;

// The pool can't move, so its addresses are taken at once: this part of what there is. The rest is
// for what peers register, and for everything else in the process.
constexpr std::uint64_t kShares = 4;

constexpr std::size_t kHugePageBytes = SegmentWindow::kHugePageBytes;

// The pool of this process; a forked child forgets its parent's.
std::mutex instance_mutex;
RegisteredPool* the_pool = nullptr;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Result<RegisteredPool*> RegisteredPool::instance() {
  static const int registered =
      ::pthread_atfork([] { instance_mutex.lock(); }, [] { instance_mutex.unlock(); },
                       [] {
                         the_pool = nullptr;
                         instance_mutex.unlock();
                       });
  if (registered != 0) return system_error("watching for fork", registered);
  const std::lock_guard lock(instance_mutex);
  if (the_pool == nullptr) {
    RONDO_ASSIGN(the_pool, create());
  }
  return the_pool;
}

Result<RegisteredPool*> RegisteredPool::create() {
  RONDO_ASSIGN(UniqueFd fd, create_memfd("rondo-registered", 0));
  RONDO_TRY(seal(fd.get(), F_SEAL_SHRINK | F_SEAL_SEAL));
  const std::size_t share_bytes =
      available_address_bytes() / kShares / kHugePageBytes * kHugePageBytes;
  RONDO_ASSIGN(SegmentWindow window,
               SegmentWindow::reserve(std::min(SegmentWindow::largest_segment_bytes(), share_bytes),
                                      kHugePageBytes));
  return new RegisteredPool(std::move(fd), std::move(window));
}

Result<std::byte*> RegisteredPool::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::size_t wanted_bytes = std::max<std::size_t>(bytes, 1);
  // More than any machine has would overflow when it is rounded up.
  if (wanted_bytes > window_.max_bytes()) return no_room(wanted_bytes, window_.max_bytes());
  auto offset = list_.allocate(wanted_bytes);
  if (!offset) {
    RONDO_TRY(grow(wanted_bytes));
    offset = list_.allocate(wanted_bytes);
  }
  return window_.address_of(*offset, wanted_bytes);
}

void RegisteredPool::free(std::byte* data) {
  const auto offset = offset_of(data, 1);
  if (!offset) return;
  const std::lock_guard lock(mutex_);
  list_.free(*offset);
}

std::size_t RegisteredPool::abandon(const std::byte* data) {
  const auto offset = offset_of(data, 1);
  if (!offset) return 0;
  const std::lock_guard lock(mutex_);
  return list_.abandon(*offset);
}

std::size_t RegisteredPool::used_bytes() const {
  const std::lock_guard lock(mutex_);
  return list_.used_bytes();
}

Status RegisteredPool::no_room(std::size_t bytes, std::uint64_t available_bytes) const {
  const bool lacks_addresses = window_.max_bytes() < SegmentWindow::largest_segment_bytes();
  return Status(ErrorCode::kSystem,
                fmt::format("no registered memory for {} bytes: {} bytes are available, and {} "
                            "bytes are registered already{}",
                            bytes, available_bytes, window_.mapped_bytes(),
                            lacks_addresses ? "; this process's addresses are limited (RLIMIT_AS), "
                                              "which `ulimit -v` changes"
                                            : ""));
}

// Growth is asked for in one piece: allocations may span extents, since addresses are contiguous.
Status RegisteredPool::grow(std::size_t bytes) {
  const std::size_t old_bytes = window_.mapped_bytes();
  const std::size_t room_bytes = window_.max_bytes() - old_bytes;
  const std::uint64_t memory_bytes = available_memory_bytes();
  if (bytes > room_bytes || bytes > memory_bytes || memory_bytes - bytes < kReserveBytes)
    return no_room(bytes, std::min<std::uint64_t>(room_bytes, memory_bytes));
  const std::size_t least_bytes = round_up(bytes, kHugePageBytes);
  // More than is asked for only where that leaves the reserve, too, and the file may have it.
  const std::uint64_t spare_bytes =
      std::min<std::uint64_t>(memory_bytes - kReserveBytes, available_file_bytes(old_bytes)) /
      kHugePageBytes * kHugePageBytes;
  const std::size_t wanted_bytes = std::min<std::uint64_t>(kExtentBytes, spare_bytes);
  const std::size_t extent_bytes = std::min(room_bytes, std::max(wanted_bytes, least_bytes));
  // Of ranks that ask at once each may find enough for itself alone. To ask takes as long as a
  // piece: seldom where there is plenty, of the host's and of what the control groups leave.
  const auto may_go_on = [&, asked = 0, left_bytes = memory_bytes]() mutable -> Status {
    constexpr std::uint64_t kPlenty = std::uint64_t{4} << 30;
    if (++asked % (left_bytes > kPlenty && host_has_plenty() ? 32 : 4) != 0) return {};
    left_bytes = available_memory_bytes();
    return left_bytes < kReserveBytes / 2 ? no_room(bytes, left_bytes) : Status();
  };
  RONDO_TRY(allocate_pages(fd_.get(), old_bytes, extent_bytes, may_go_on));
  RONDO_TRY(window_.extend(fd_.get(), old_bytes + extent_bytes));
  // Whoever makes it works with it. A whole extent: its huge pages stay whole.
  place_near_this_thread(window_.address_of(old_bytes, extent_bytes), extent_bytes);
  list_.grow(old_bytes, extent_bytes);
  return {};
}

}  // namespace rondo::transport
