#pragma once

// The limits of this process (`ulimit`) that joining a world and shared memory meet: what they
// leave, and errors that name them.
// Threads: any.

#include <cstdint>
#include <string>

#include "core/status.h"

namespace rondo {

/// What RLIMIT_AS leaves, or where there is no limit what 47 bits of addresses do. Asked before
/// addresses are reserved that nobody needs yet: they are missing to everything else.
std::uint64_t available_address_bytes();

/// By how much RLIMIT_FSIZE lets a file of `bytes` become longer.
std::uint64_t available_file_bytes(std::uint64_t bytes);

/// Whether a file may become so long. Asked before it does: beyond RLIMIT_FSIZE the kernel doesn't
/// only refuse, its signal (SIGXFSZ) ends the process. Errors: System.
Status check_file_size(std::uint64_t bytes);

/// The error for a mapping of `bytes` that was refused: "<what>: <text of errno>", and RLIMIT_AS
/// with what to do where that may be the reason.
Status mapping_error(std::string what, std::uint64_t bytes, int errno_value);

/// The error where no descriptor was made: likewise, with RLIMIT_NOFILE.
Status descriptor_error(std::string what, int errno_value);

}  // namespace rondo
