#pragma once

// Which of this host's addresses to listen on.

#include <string>

#include "core/status.h"

struct sockaddr;

namespace rondo::transport {

/// Whether `address` (may be null) is an IP address that peers can be told: a link-local one of
/// IPv6 means nothing on another host.
bool is_ip_for_peers(const sockaddr* address);

/// The address of the interface `name` ("eth0": IPv4 before IPv6), or `name` itself if it is one
/// of this host's.
/// Errors: InvalidArgument, listing the interfaces that have an address.
Result<std::string> resolve_interface(const std::string& name);

/// The name of the interface with this IP address; empty where there is none.
std::string interface_of(const std::string& address);

/// The address of this host that packets to `host` (a name or an address) leave from. Sends
/// nothing. Errors: InvalidArgument (unknown host), System (no route).
Result<std::string> address_towards(const std::string& host);

}  // namespace rondo::transport
