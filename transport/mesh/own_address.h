#pragma once

// The address that this host's tcp transports listen on when nobody names an interface.

#include <string>

#include "core/status.h"
#include "transport/rendezvous/launch.h"

struct ifaddrs;

namespace rondo::transport {

/// Of what getifaddrs gives, the name of the first interface that could lead to another host: up,
/// no bridge and no container's end. IPv6 alone counts where none has IPv4. Empty: none. Pure.
std::string outward_interface(const ifaddrs* list);

/// `interface`, if given; loopback where the whole world is on one host; the address that reaches
/// the store, where there is one and it isn't this host's own name at loopback; else that of the
/// outward interface. Errors: InvalidArgument (unknown interface), System (no address at all: names
/// RONDO_IFACE).
Result<std::string> own_address(const std::string& interface, bool one_host,
                                const rendezvous::Launch& launch);

}  // namespace rondo::transport
