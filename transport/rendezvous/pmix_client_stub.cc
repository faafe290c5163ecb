#include "transport/rendezvous/pmix_client.h"

namespace rondo::rendezvous {

Result<PmixClient*> PmixClient::instance() {
  return Status(ErrorCode::kUnsupported,
                "this build of Rondo has no PMIx (pmix.h was missing): start the processes with "
                "`rondo run`, or build it with libpmix-dev installed");
}

}  // namespace rondo::rendezvous
