#pragma once

// Where a store listens, as people write it: "host:port", "[::1]:port". Pure; thread-safe.

#include <cstdint>
#include <string>

#include "core/status.h"

namespace rondo::rendezvous {

struct StoreAddress {
  std::string host;
  std::uint16_t port = 0;
};

/// Errors: InvalidArgument.
Result<StoreAddress> parse_address(const std::string& text);
std::string to_string(const StoreAddress& address);

}  // namespace rondo::rendezvous
