#pragma once

// The store that lives in the process of rank 0 and is reached by TCP. It serves one job: strangers
// (port scanners, other jobs) are told so or dropped and hold up nobody.
// It outlives its owner's last call until every client that is in the middle of an all_gather has
// got what it came for, or kLinger has passed.
// Threads: runs one of its own; the object itself is its owner's.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "core/status.h"
#include "transport/rendezvous/store_address.h"

namespace rondo::rendezvous {

class TcpStoreServer {
 public:
  static constexpr std::size_t kMaxClients = 4096;
  static constexpr std::chrono::milliseconds kHelloDeadline{2000};
  static constexpr std::chrono::milliseconds kLinger{5000};

  /// Listens at exactly this address; port 0 takes a free one. This host's own name, where it
  /// resolves to loopback, stands for all its interfaces, of IPv4 and IPv6: strangers there don't
  /// know `job`. Errors: InvalidArgument (no address of this machine), System (the port is in use,
  /// no descriptors are left, ...).
  static Result<std::unique_ptr<TcpStoreServer>> listen(const std::string& host, std::uint16_t port,
                                                        std::uint64_t job);
  /// Serves on a copy of a socket that listens already; `listening_fd` stays the caller's, and
  /// listens on when the server has ended.
  static Result<std::unique_ptr<TcpStoreServer>> adopt(int listening_fd, std::uint64_t job);
  ~TcpStoreServer();

  StoreAddress address() const;

 private:
  class Impl;
  explicit TcpStoreServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
  pid_t owner_;
};

}  // namespace rondo::rendezvous
