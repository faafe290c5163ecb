#pragma once

// A client's connection to the TCP store's server: frames out and in, each within a deadline.
// Once broken it stays broken and says why. Threads: one at a time.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "core/status.h"
#include "transport/rendezvous/store.h"
#include "transport/rendezvous/store_address.h"
#include "transport/rendezvous/store_message.h"

namespace rondo::rendezvous {

class TcpStoreLink {
 public:
  explicit TcpStoreLink(StoreAddress address);
  ~TcpStoreLink();

  /// Connects, again and again until the deadline: the server may start later, also where another
  /// job's is still to end, which is logged at once.
  /// Errors: Timeout, Mismatch (another job's store, to the end), DataLoss (no store at all),
  /// System (this process has no descriptors or threads left to dial with), InvalidArgument.
  Status connect(std::uint64_t job, Deadline deadline);
  /// Errors: PeerLost, Timeout (the server doesn't answer), DataLoss.
  Result<Reply> exchange(const Request& request, Deadline deadline);

 private:
  class Socket;
  Status dial(Deadline deadline);
  Status try_connect(std::uint64_t job, Deadline deadline, bool& worth_a_retry);
  Result<Reply> read_reply(Deadline deadline);

  const StoreAddress address_;
  std::unique_ptr<Socket> socket_;
  Status broken_;
};

}  // namespace rondo::rendezvous
