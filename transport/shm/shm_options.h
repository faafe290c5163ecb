#pragma once

#include <cstddef>

namespace rondo::transport {

/// How messages that lie in no registered memory travel; may differ from rank to rank.
struct ShmOptions {
  std::size_t slot_bytes = std::size_t{64} << 10;  ///< larger messages are cut; a multiple of 64
  std::size_t slot_count = 8;                      ///< of each lane and direction; at most 64
  bool private_reads = true;  ///< use process_vm_readv where the kernel permits it
};

}  // namespace rondo::transport
