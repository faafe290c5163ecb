#include "transport/shm/shm_memory.h"

#include <fmt/format.h>
#include <sys/uio.h>

#include <cerrno>

namespace rondo::transport {

Status ShmMemory::read_private(std::uint64_t address, std::byte* target, std::size_t bytes) {
  // One call copies at most 2 GiB, and stops early at memory that isn't there.
  for (std::size_t done_bytes = 0; done_bytes < bytes;) {
    const std::size_t left_bytes = bytes - done_bytes;
    const iovec local{target + done_bytes, left_bytes};
    const iovec remote{reinterpret_cast<void*>(address + done_bytes), left_bytes};
    const ssize_t copied_bytes = ::process_vm_readv(peer_pid_, &local, 1, &remote, 1, 0);
    if (copied_bytes > 0) {
      done_bytes += static_cast<std::size_t>(copied_bytes);
      continue;
    }
    if (copied_bytes < 0 && errno == EINTR) continue;
    const int error = copied_bytes < 0 ? errno : EFAULT;
    if (error == ESRCH || error == EFAULT)
      return Status(
          ErrorCode::kPeerLost,
          fmt::format("rank {} (pid {}) took its memory away, or ended, while its message was read",
                      peer_, peer_pid_),
          peer_);
    return system_error(
               fmt::format("reading {} bytes from rank {} (pid {})", left_bytes, peer_, peer_pid_),
               error)
        .with_culprit(peer_);
  }
  return {};
}

bool ShmMemory::probe(std::uint64_t address, std::uint64_t expected) {
  std::uint64_t value = 0;
  if (peer_pid_ <= 0) return false;
  const Status status = read_private(address, reinterpret_cast<std::byte*>(&value), sizeof(value));
  return status.ok() && value == expected;
}

}  // namespace rondo::transport
