#pragma once

// The socket that the ranks' store will listen on. It is bound before any rank starts, so that no
// two runs can ever want the same port, and rank 0 inherits it.

#include <string>

#include "core/unique_fd.h"

namespace rondo::tool {

struct StoreSocket {
  UniqueFd listening;
  std::string address;  ///< host:port
};

/// On the loopback interface, at a free port. Errors: RunError.
StoreSocket open_store_socket(int backlog);

}  // namespace rondo::tool
