#pragma once

// The error for a peer that doesn't speak the protocol.

#include <string>

#include "core/status.h"

namespace rondo::transport {

/// Internal, with `peer` as the culprit: "rank 3 broke the wire protocol: <what>".
Status protocol_error(int peer, const std::string& what);

}  // namespace rondo::transport
