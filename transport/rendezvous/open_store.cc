#include "transport/rendezvous/open_store.h"

#include <utility>

#include "transport/rendezvous/kept_server.h"
#include "transport/rendezvous/memory_store.h"
#include "transport/rendezvous/pmix_client.h"
#include "transport/rendezvous/pmix_store.h"
#include "transport/rendezvous/tcp_store.h"

namespace rondo::rendezvous {
namespace {

Result<std::unique_ptr<Store>> open_tcp(const Launch& launch, Deadline deadline) {
  RONDO_ASSIGN(const StoreAddress address, parse_address(launch.store_address));
  if (launch.process_index == 0) {
    RONDO_TRY(keep_server(address, launch.job, launch.store_fd).status());
  }
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
    if (launch.launcher == Launcher::kPmix) return open_pmix();
    return open_tcp(launch, deadline);
  }
  return std::unique_ptr<Store>(std::make_unique<MemoryStore>());
}

}  // namespace rondo::rendezvous
