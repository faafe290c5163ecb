#pragma once

// The cores that a process may run on, as text for the store. Pure.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"

namespace rondo::transport {

/// "0,2,3"
std::string encode_cores(std::span<const int> cores);
/// Errors: DataLoss for text that encode_cores didn't make.
Result<std::vector<int>> decode_cores(std::string_view text);

}  // namespace rondo::transport
