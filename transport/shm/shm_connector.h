#pragma once

// Connects one place to its peers: dials those of lower rank, accepts those of higher rank, all at
// once, until every one is there or the deadline has passed. Strangers are turned away and don't
// disturb.
// Threads: one; used once.

#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"
#include "transport/endpoint/transport.h"
#include "transport/shm/shm_handshake.h"

namespace rondo::transport {

class ShmConnector {
 public:
  ShmConnector(const ShmPlace& own, int listener) : own_(own), listener_(listener) {}

  /// Errors: Timeout (names the missing ranks), InvalidArgument, Mismatch, PeerLost, System;
  /// those of `look` (see Lookout).
  Result<std::vector<ShmPeer>> connect(std::span<const PeerAddress> peers, Deadline deadline,
                                       const Look& look);

 private:
  using Handshakes = std::vector<std::unique_ptr<ShmHandshake>>;

  Status check(std::span<const PeerAddress> peers) const;
  Status dial_missing();
  Status accept_all();
  Status step_all();
  /// `keep` turns false for a connection that is to be closed.
  Status advance(ShmHandshake& handshake, bool& keep);
  void wait(Deadline deadline) const;
  Status missing() const;

  const ShmPlace& own_;
  int listener_;
  std::vector<PeerAddress> to_dial_;
  std::set<int> missing_;
  Handshakes open_;
  std::vector<ShmPeer> connected_;
};

}  // namespace rondo::transport
