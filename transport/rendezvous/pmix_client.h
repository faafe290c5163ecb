#pragma once

// This process as a client of the PMIx server of its launcher (Open MPI's mpirun, srun). libpmix is
// opened at run time, so that nobody needs it who isn't started that way. PMIx is initialised once
// per process and finalised when the process ends, as the launcher expects.
// Threads: one at a time.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/status.h"
#include "transport/rendezvous/store.h"

namespace rondo::rendezvous {

class PmixClient {
 public:
  virtual ~PmixClient() = default;
  /// The process's client, connected by the first call. Errors: Unsupported (built without PMIx,
  /// no libpmix here), System (no server answers).
  static Result<PmixClient*> instance();

  virtual int index() const = 0;
  virtual const std::string& job_name() const = 0;
  /// Publishes a value under this process's index; once per key, for PMIx keeps what it has told.
  virtual Status put(const std::string& key, const std::string& value) = 0;
  /// Waits for all processes of the job, and brings everybody's values here. Errors: Timeout.
  virtual Status fence(Deadline deadline) = 0;
  /// What the processes `indices` have put under `key`; nothing for those of whom nothing is known
  /// at the deadline.
  virtual Result<std::vector<std::optional<std::string>>> get(const std::vector<int>& indices,
                                                              const std::string& key,
                                                              Deadline deadline) = 0;
};

}  // namespace rondo::rendezvous
