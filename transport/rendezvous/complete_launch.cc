#include "transport/rendezvous/complete_launch.h"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "transport/rendezvous/pmi_client.h"

namespace rondo::rendezvous {
namespace {

/// `client` stays with the caller also where the meeting fails: its end is the launcher's to hear.
Result<Launch> meet(std::unique_ptr<PmiClient>& client, Launch launch, const Meeting& meeting,
                    Deadline deadline) {
  RONDO_ASSIGN(client, PmiClient::connect(launch.pmi, deadline));
  if (client->place()) {
    launch.process_index = client->place()->index;
    launch.process_count = client->place()->count;
  }
  if (launch.process_count == 1) return launch;
  return meet_by_pmi(*client, std::move(launch), meeting, deadline);
}

}  // namespace

Result<Launch> complete_launch(const Launch& launch, const Meeting& meeting, Deadline deadline) {
  if (launch.launcher != Launcher::kPmi || launch.process_count == 1) return launch;
  static std::mutex mutex;
  static std::unique_ptr<PmiClient> client;
  static std::optional<Result<Launch>> met;
  const std::lock_guard lock(mutex);
  if (!met) met.emplace(meet(client, launch, meeting, deadline));
  return *met;
}

}  // namespace rondo::rendezvous
