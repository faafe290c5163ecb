#pragma once

// The first meeting of a job whose launcher speaks PMI-1. PMI can publish and wait for all, and no
// more: so it carries where process 0 serves a TCP store and the random number that a client of it
// must know, and everything else goes through that store.
// Threads: one at a time per client.

#include <functional>
#include <string>

#include "core/status.h"
#include "transport/rendezvous/launch.h"
#include "transport/rendezvous/pmi_client.h"
#include "transport/rendezvous/store.h"

namespace rondo::rendezvous {

/// What a process brings to the meeting.
struct Meeting {
  std::string host_identity{};  ///< equal for processes that can share memory
  /// Where process 0 can be reached, by those of its own host alone or by all.
  std::function<Result<std::string>(bool one_host)> own_address{};
};

/// `launch` with the store's address and the job. Every process of the job calls it, once.
/// Errors: those of the client; what keeps process 0 from serving is everybody's error.
Result<Launch> meet_by_pmi(PmiClient& client, Launch launch, const Meeting& meeting,
                           Deadline deadline);

}  // namespace rondo::rendezvous
