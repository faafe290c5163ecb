#pragma once

// The address that this host's tcp transports listen on when nobody names an interface.

#include <string>

#include "core/status.h"
#include "transport/rendezvous/launch.h"

namespace rondo::transport {

/// `interface`, if given; loopback where the whole world is on one host; the address that reaches
/// the store, where there is one; else the first interface that is up and is no bridge or
/// container's end. Errors: InvalidArgument (unknown interface), System (no address at all: names
/// RONDO_IFACE).
Result<std::string> own_address(const std::string& interface, bool one_host,
                                const rendezvous::Launch& launch);

}  // namespace rondo::transport
