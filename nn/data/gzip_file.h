#pragma once

// Reads a whole gzip file into memory. zlib's own checks (lengths, CRC) become errors that name
// the file; a file that isn't gzip, or is longer than expected, is refused.

#include <cstddef>
#include <string>

#include "core/status.h"

namespace rondo::nn {

/// Errors: InvalidArgument (no such file), DataLoss (not gzip, damaged, cut short, inflates to
/// more than `limit_bytes`), System.
Result<std::string> read_gzip(const std::string& path, std::size_t limit_bytes);

}  // namespace rondo::nn
