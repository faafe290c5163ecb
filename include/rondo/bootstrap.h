#pragma once

#include <string>

#include "rondo/export.h"

namespace rondo {
inline namespace v1 {

/// How processes that no launcher has started find each other: process 0 makes a unique id and
/// hands it to the others by whatever way the program has; each then creates its communicator with
/// it, its own number and their number.
struct Bootstrap {
  std::string unique_id;
  int process = 0;    ///< this one's number, 0 to processes - 1
  int processes = 1;  ///< of the world, each with one or more places; at most kMostProcesses
};
inline constexpr int kMostProcesses = 1 << 20;

/// An id for one world: text of at most kMostUniqueIdBytes characters that holds where this process
/// listens for the others from now on, and a secret that lets them in. Made by process 0 of the
/// world. `interface`: name or address of the network interface to listen on; empty: the first that
/// leads to other hosts, or loopback where there is none.
/// Errors: InvalidArgument (there is no such interface), System. Threads: any.
RONDO_API std::string make_unique_id(const std::string& interface = {});

/// Ends what waits for the others by an id of make_unique_id's where its world won't come about; a
/// world that has come about has done so itself. Processes that are meeting by it are let finish,
/// for seconds at most. Does nothing with what this process hasn't made. Threads: any.
RONDO_API void forget_unique_id(const std::string& unique_id);

inline constexpr int kMostUniqueIdBytes = 127;

}  // namespace v1
}  // namespace rondo
