#pragma once

#include <cstddef>

namespace rondo::transport {

/// How messages that lie in no registered memory travel; may differ from rank to rank.
struct ShmOptions {
  std::size_t slot_bytes = std::size_t{64} << 10;  ///< larger messages are cut; a multiple of 64
  std::size_t slot_count = 8;                      ///< of each lane and direction; at most 64
  /// Messages from this size on are read by process_vm_readv, where the kernel permits it. Measured
  /// between two cores of one socket: as fast as slots at 4 KiB, twice as fast from 16 KiB on.
  std::size_t private_read_bytes = std::size_t{8} << 10;
};

}  // namespace rondo::transport
