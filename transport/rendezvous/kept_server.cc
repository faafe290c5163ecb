#include "transport/rendezvous/kept_server.h"

#include <fcntl.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
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
  std::set<std::string> ending;           ///< their addresses
  std::condition_variable ended;
};

Kept& kept() {
  static Kept servers;
  return servers;
}

using Servers = std::map<std::string, Kept::Server>;

/// Without the lock: the server waits for others of its job, and nobody else need wait for them.
void end(std::unique_lock<std::mutex>& lock, Servers::iterator found) {
  Kept& all = kept();
  const std::string address = found->first;
  std::unique_ptr<TcpStoreServer> server = std::move(found->second.server);
  all.servers.erase(found);
  all.ending.insert(address);
  lock.unlock();
  server.reset();
  lock.lock();
  all.ending.erase(address);
  all.ended.notify_all();
}

}  // namespace

Result<StoreAddress> keep_server(const StoreAddress& wanted, std::uint64_t job) {
  return keep_server(wanted, job, -1);
}

Result<StoreAddress> keep_server(const StoreAddress& wanted, std::uint64_t job, int listening_fd) {
  Kept& all = kept();
  std::unique_lock lock(all.mutex);
  // Two can't listen at one address.
  all.ended.wait(lock, [&] { return !all.ending.contains(to_string(wanted)); });
  if (const auto found = all.servers.find(to_string(wanted)); found != all.servers.end()) {
    if (found->second.job == job) return wanted;
    end(lock, found);
  }
  auto started = listening_fd >= 0 ? TcpStoreServer::adopt(listening_fd, job)
                                   : TcpStoreServer::listen(wanted.host, wanted.port, job);
  RONDO_TRY(started.status());
  // Processes that this one starts have no business with it.
  if (listening_fd >= 0) fcntl(listening_fd, F_SETFD, FD_CLOEXEC);
  const StoreAddress address = wanted.port == 0 ? (*started)->address() : wanted;
  all.servers[to_string(address)] = {job, std::move(started).value()};
  return address;
}

void end_server(const StoreAddress& address, std::uint64_t job) {
  Kept& all = kept();
  std::unique_lock lock(all.mutex);
  const auto found = all.servers.find(to_string(address));
  if (found != all.servers.end() && found->second.job == job) end(lock, found);
}

}  // namespace rondo::rendezvous
