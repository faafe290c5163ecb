#pragma once

// The store servers of this process. Those of launchers end with the process: a second world of the
// same job meets in the same store, and late processes still get their answers. One for a single
// world ends once all have met, and one whose address another job is to meet at, when that begins.
// Threads: thread-safe.

#include <cstdint>

#include "core/status.h"
#include "transport/rendezvous/store_address.h"

namespace rondo::rendezvous {

/// Serves `job` at `wanted` (port 0: one that is free) unless this process does already; where it
/// listens. Another job's server of this process at that address ends first, as TcpStoreServer
/// does. Errors: as TcpStoreServer::listen.
Result<StoreAddress> keep_server(const StoreAddress& wanted, std::uint64_t job);
/// The same on a socket that listens at `wanted` already.
Result<StoreAddress> keep_server(const StoreAddress& wanted, std::uint64_t job, int listening_fd);
/// All of `job` have met at `address`: the server that is there, if this process has it for that
/// job, ends when the others have got what they came for, as TcpStoreServer does.
void end_server(const StoreAddress& address, std::uint64_t job);

}  // namespace rondo::rendezvous
