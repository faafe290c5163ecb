#pragma once

// What this process's environment didn't say about its launch, asked of the launcher.
// Threads: thread-safe.

#include "core/status.h"
#include "transport/rendezvous/launch.h"
#include "transport/rendezvous/pmi_meeting.h"
#include "transport/rendezvous/store.h"

namespace rondo::rendezvous {

/// `launch` as open_store needs it. Only PMI-1 leaves anything to ask, and its processes meet once:
/// later calls get what the first one got, be it an error. The launcher hears from this process
/// when it ends. Errors: those of meet_by_pmi.
Result<Launch> complete_launch(const Launch& launch, const Meeting& meeting, Deadline deadline);

}  // namespace rondo::rendezvous
