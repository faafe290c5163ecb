#include "transport/rendezvous/kept_server.h"

#include <fcntl.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "transport/rendezvous/tcp_store_server.h"

namespace rondo::rendezvous {
namespace {

struct Kept {
  std::mutex mutex;
  struct Server {
    std::uint64_t job = 0;
    std::unique_ptr<TcpStoreServer> server;
  };
  std::map<std::string, Server> servers;  ///< by address
};

Kept& kept() {
  static Kept servers;
  return servers;
}

}  // namespace

Result<StoreAddress> keep_server(const StoreAddress& wanted, std::uint64_t job) {
  return keep_server(wanted, job, -1);
}

Result<StoreAddress> keep_server(const StoreAddress& wanted, std::uint64_t job, int listening_fd) {
  auto& [mutex, servers] = kept();
  const std::lock_guard lock(mutex);
  if (const auto found = servers.find(to_string(wanted)); found != servers.end()) {
    if (found->second.job == job) return wanted;
    servers.erase(found);  // waits for others of its job: two can't listen at one address
  }
  auto started = listening_fd >= 0 ? TcpStoreServer::adopt(listening_fd, job)
                                   : TcpStoreServer::listen(wanted.host, wanted.port, job);
  RONDO_TRY(started.status());
  // Processes that this one starts have no business with it.
  if (listening_fd >= 0) fcntl(listening_fd, F_SETFD, FD_CLOEXEC);
  const StoreAddress address = wanted.port == 0 ? (*started)->address() : wanted;
  servers[to_string(address)] = {job, std::move(started).value()};
  return address;
}

void end_server(const StoreAddress& address, std::uint64_t job) {
  std::unique_ptr<TcpStoreServer> server;  // outlives the lock: others may be waited for
  auto& [mutex, servers] = kept();
  const std::lock_guard lock(mutex);
  const auto found = servers.find(to_string(address));
  if (found == servers.end() || found->second.job != job) return;
  server = std::move(found->second.server);
  servers.erase(found);
}

}  // namespace rondo::rendezvous
