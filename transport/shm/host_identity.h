#pragma once

// What two processes compare to learn whether they share a host. The boot id alone won't do:
// containers of one machine share it and still can't reach each other's sockets or memory.
// Threads: any.

#include <string>
#include <string_view>

namespace rondo::transport {

/// Boot id and the network, IPC, user and PID namespaces of this process; equal text means the same
/// host. (Numbers of processes name memory, and processes that may have ended: they have to mean
/// the same on both sides.) Where the system doesn't tell, a random text that equals no other.
std::string host_identity();

/// The part that names the machine: hosts that are containers share its cores.
std::string_view machine_of(std::string_view host_identity);

}  // namespace rondo::transport
