#pragma once

// Names this start of this machine's kernel: equal in all processes that share one, containers
// too. Threads: any.

#include <optional>
#include <string>

namespace rondo {

/// "c3bc250e-1f7a-4d0e-9a55-0c1f2a6d7e80"; nothing where the system doesn't tell.
std::optional<std::string> boot_id();

}  // namespace rondo
