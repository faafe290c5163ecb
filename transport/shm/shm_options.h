#pragma once

#include <cstddef>

namespace rondo::transport {

/// How messages that lie in no registered memory travel; may differ from rank to rank.
struct ShmOptions {
  std::size_t slot_bytes = std::size_t{64} << 10;  ///< larger messages are cut; a multiple of 64
  std::size_t slot_count = 8;                      ///< of each lane and direction; at most 64
  /// From here on process_vm_readv is used, where the kernel permits it. Measured with two
  /// processes of one socket: equal to slots near 8 KiB, twice as fast at 64 KiB.
  std::size_t private_read_bytes = std::size_t{16} << 10;
};

}  // namespace rondo::transport
