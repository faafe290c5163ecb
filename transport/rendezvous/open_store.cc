#include "transport/rendezvous/open_store.h"

#include <fcntl.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "transport/rendezvous/memory_store.h"
#include "transport/rendezvous/pmix_client.h"
#include "transport/rendezvous/pmix_store.h"
#include "transport/rendezvous/tcp_store.h"
#include "transport/rendezvous/tcp_store_server.h"

namespace rondo::rendezvous {
namespace {

/// Starts this process's server for `launch` unless it runs already. It ends with the process: a
/// second world of the same job meets in the same store, and late ranks still get their answers.
Status keep_serving(const Launch& launch, const StoreAddress& address) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<TcpStoreServer>> servers;
  const std::lock_guard lock(mutex);
  auto& server = servers[launch.store_address];
  if (server) return {};
  auto started = launch.store_fd >= 0
                     ? TcpStoreServer::adopt(launch.store_fd, launch.job)
                     : TcpStoreServer::listen(address.host, address.port, launch.job);
  RONDO_TRY(started.status());
  // Processes that this one starts have no business with it.
  if (launch.store_fd >= 0) fcntl(launch.store_fd, F_SETFD, FD_CLOEXEC);
  server = std::move(started).value();
  return {};
}

Result<std::unique_ptr<Store>> open_tcp(const Launch& launch, Deadline deadline) {
  RONDO_ASSIGN(const StoreAddress address, parse_address(launch.store_address));
  if (launch.process_index == 0) RONDO_TRY(keep_serving(launch, address));
  RONDO_ASSIGN(std::unique_ptr<Store> store, TcpStore::connect(address, launch.job, deadline));
  return store;
}

Result<std::unique_ptr<Store>> open_pmix() {
  RONDO_ASSIGN(PmixClient * client, PmixClient::instance());
  return std::unique_ptr<Store>(std::make_unique<PmixStore>(*client));
}

}  // namespace

Result<std::unique_ptr<Store>> open_store(const Launch& launch, Deadline deadline) {
  if (launch.process_count > 1) {
    if (launch.launcher == Launcher::kRondoRun) return open_tcp(launch, deadline);
    if (launch.launcher == Launcher::kPmix) return open_pmix();
  }
  return std::unique_ptr<Store>(std::make_unique<MemoryStore>());
}

}  // namespace rondo::rendezvous
