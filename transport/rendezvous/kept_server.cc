#include "transport/rendezvous/kept_server.h"

#include <fcntl.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "transport/rendezvous/tcp_store_server.h"

namespace rondo::rendezvous {

Result<StoreAddress> keep_server(const StoreAddress& wanted, std::uint64_t job) {
  return keep_server(wanted, job, -1);
}

Result<StoreAddress> keep_server(const StoreAddress& wanted, std::uint64_t job, int listening_fd) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<TcpStoreServer>> servers;
  const std::lock_guard lock(mutex);
  if (servers.contains(to_string(wanted))) return wanted;
  auto started = listening_fd >= 0 ? TcpStoreServer::adopt(listening_fd, job)
                                   : TcpStoreServer::listen(wanted.host, wanted.port, job);
  RONDO_TRY(started.status());
  // Processes that this one starts have no business with it.
  if (listening_fd >= 0) fcntl(listening_fd, F_SETFD, FD_CLOEXEC);
  const StoreAddress address = wanted.port == 0 ? (*started)->address() : wanted;
  servers[to_string(address)] = std::move(started).value();
  return address;
}

}  // namespace rondo::rendezvous
