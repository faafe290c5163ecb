#pragma once

#include <cstddef>
#include <span>

namespace rondo::transport {

/// How messages that lie in no registered memory travel; may differ from rank to rank, but for the
/// ranks of the host.
struct ShmOptions {
  std::size_t slot_bytes = std::size_t{64} << 10;  ///< larger messages are cut; a multiple of 64
  std::size_t slot_count = 4;  ///< of each lane and direction, at most 64; few stay in a cache
  /// Messages from this size on are read by process_vm_readv, where the kernel permits it; 0: none,
  /// unless a tuning says so. Between two cores of one socket an all-reduce of what was just
  /// written takes twice as long with it at every size, since the kernel copies lines out of
  /// another core's cache at a quarter of a vector loop's speed.
  std::size_t private_read_bytes = 0;
  /// All of this host, in ascending order: memory is shared for these alone; none: every rank of
  /// the world. Borrowed until the transport is made.
  std::span<const int> host_ranks{};
};

}  // namespace rondo::transport
