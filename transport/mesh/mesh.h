#pragma once

// One place's connections to every other rank of its world, each over the best transport that the
// pair has: inproc inside a process, shm where both see the same host, tcp elsewhere. Which one is
// learnt by exchange between the two, never guessed.
// Threads: one thread at a time per mesh; meshes of one process are independent.

#include <memory>
#include <string>
#include <vector>

#include "core/status.h"
#include "transport/endpoint/transport.h"
#include "transport/mesh/crowding.h"
#include "transport/mesh/process_note.h"

namespace rondo::transport {

/// Where a rank runs, for messages and for choosing transports.
struct RankInfo {
  int process = 0;
  long pid = 0;
  std::string hostname{};
  std::string host_identity{};
  std::vector<int> cores{};  ///< that its process may run on
  PlaceNote place{};         ///< its device
};

/// What every mesh of a process is made with.
struct MeshMeans {
  std::string transport = "auto";  ///< or one forced for every pair
  std::string address;             ///< tcp listens there
  int tcp_sockets = 0;  ///< data connections to each peer over tcp; 0: what its link takes
  std::size_t tcp_zero_copy_bytes = 0;  ///< as in TcpOptions
  std::size_t private_read_bytes = 0;   ///< as in ShmOptions
  Crowding crowding{};  ///< of the world that this one was split from: with its ranks, too
};

/// Ranks, and the cores that one of them at least may run on: all their masks together.
struct CoreUse {
  int ranks = 0;
  std::size_t cores = 0;
  friend bool operator==(const CoreUse&, const CoreUse&) = default;
};

class Mesh {
 public:
  /// Takes over connected transports; every other rank has an endpoint in one of them.
  Mesh(const Identity& identity, std::vector<RankInfo> ranks,
       std::vector<std::unique_ptr<Transport>> transports, MeshMeans means = {});

  int rank() const { return identity_.rank; }
  int size() const { return identity_.world; }
  std::uint32_t epoch() const { return identity_.epoch; }
  const Identity& identity() const { return identity_; }
  const std::vector<RankInfo>& ranks() const { return ranks_; }
  const MeshMeans& means() const { return means_; }
  /// Null for this rank itself.
  Endpoint* endpoint(int peer) const { return endpoints_[static_cast<std::size_t>(peer)]; }
  const std::vector<Transport*>& transports() const { return borrowed_; }
  /// Every pair of the world is joined by memory: the same answer on every rank.
  bool one_host() const;
  /// This rank is joined by memory to another one at least; so is that one to it.
  bool shares_memory() const;
  /// The host of every rank: equal numbers, equal hosts. The same on every rank.
  std::vector<int> hosts() const;
  /// Of the ranks of this rank's host, itself included.
  CoreUse core_use_here() const;
  /// Of this world, or of the one that it was split from where that is more.
  const Crowding& crowding() const { return crowding_; }
  /// As Transport::read_private_from.
  void read_private_from(std::size_t bytes);
  /// As Transport::may_read_private, of any of them.
  bool may_read_private() const;
  /// As Transport::say_goodbye.
  void say_goodbye();

 private:
  Identity identity_;
  std::vector<RankInfo> ranks_;
  MeshMeans means_;
  std::vector<std::unique_ptr<Transport>> transports_;
  std::vector<Transport*> borrowed_;
  std::vector<Endpoint*> endpoints_;
  Crowding crowding_;
};

}  // namespace rondo::transport
