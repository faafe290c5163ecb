#pragma once

// From nothing to connected: joins the world that the launcher set up, exchanges addresses through
// its store, and connects every place of this process to every other rank.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/status.h"
#include "transport/mesh/mesh.h"
#include "transport/rendezvous/launch.h"

namespace rondo::transport {

struct MeshOptions {
  std::string transport = "auto";  ///< or "inproc", "shm", "tcp": forced for every pair
  std::string interface;           ///< tcp listens there; empty: see own_address()
  int tcp_sockets = 0;             ///< as in MeshMeans
  std::size_t tcp_zero_copy_bytes = 0;
  std::size_t private_read_bytes = 0;  ///< as in ShmOptions
  int timeout_ms = 60'000;
  /// Further options, by the name that users know them by, that must be equal on all ranks.
  std::map<std::string, std::string> equal_options{};
};

/// One mesh for each of `places`. Collective: every
/// process of the world calls it, and equally often in this job; each call forms a world of its
/// own, but for one that follows a Timeout of the ranks that came: it waits for the same world
/// again, except under PMIx. Errors: Timeout (names the missing ranks), InvalidArgument (a forced
/// transport that a pair can't have; it names the pair), Mismatch (options that differ), System.
/// Threads: one at a time per process.
Result<std::vector<std::unique_ptr<Mesh>>> connect_places(const rendezvous::Launch& launch,
                                                          const std::vector<PlaceNote>& places,
                                                          const MeshOptions& options);

}  // namespace rondo::transport
