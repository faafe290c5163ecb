#pragma once

// How the connections of a tcp transport come to be: listens from the moment it is made, then dials
// the lower ranks and accepts the higher ones. A stranger's connection is never waited for, and
// costs one of a bounded number of places for a bounded time.
// Threads: one at a time.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"
#include "core/unique_fd.h"
#include "transport/endpoint/transport.h"
#include "transport/tcp/tcp_options.h"

namespace rondo::transport {

/// The connections to one peer, non-blocking and past their handshakes.
struct JoinedPeer {
  int rank = 0;
  std::string address;
  std::size_t window = 0;
  std::size_t max_message_bytes = 0;
  UniqueFd control{};
  std::vector<UniqueFd> data{};
};

class Joiner {
 public:
  /// Listens. Errors: InvalidArgument (the address to bind), System.
  static Result<std::unique_ptr<Joiner>> listen(const Identity& own, const TcpOptions& options);
  ~Joiner();

  /// "ip:port"
  const std::string& address() const;
  /// Connects to all of `peers`, then listens no more. `look`: see Lookout.
  /// Errors: Timeout (names the missing), Mismatch (a peer refused this rank), System (no
  /// descriptors are left), InvalidArgument; those of `look`.
  Result<std::vector<JoinedPeer>> join(std::span<const PeerAddress> peers, Deadline deadline,
                                       const Look& look = {});

 private:
  class Impl;
  explicit Joiner(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace rondo::transport
