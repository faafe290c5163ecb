#pragma once

// How much memory this process may still take. Asked before a segment grows, because the kernel
// kills processes rather than refuse pages of an anonymous shared file.
// Threads: any.

#include <cstdint>

namespace rondo::transport {

/// The smallest of what the host, the cgroups above this process and RLIMIT_FSIZE (for a file of
/// `file_bytes`) leave.
std::uint64_t available_memory_bytes(std::uint64_t file_bytes);

/// All of the host's memory.
std::uint64_t total_memory_bytes();

}  // namespace rondo::transport
