#pragma once

// How much memory this process may still take. Asked before a segment grows, because the kernel
// kills processes rather than refuse pages of an anonymous shared file.
// Threads: any.

#include <cstdint>

#include "core/cgroup.h"

namespace rondo::transport {

/// The smallest of what the host and the cgroups above this process leave.
std::uint64_t available_memory_bytes();

/// Whether a gigabyte of the host's memory has no use at all, not even for cached files. A call of
/// the system.
bool host_has_plenty();

/// What the cgroups leave, of both versions: their limits less what is used, of which cached files
/// are no part, since the kernel drops those when memory is asked for. All of 64 bits where nothing
/// is limited.
std::uint64_t available_in_cgroups(const ReadFile& read_file);

/// All of the host's memory.
std::uint64_t total_memory_bytes();

}  // namespace rondo::transport
