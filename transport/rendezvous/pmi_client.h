#pragma once

// This process as a client of a launcher that speaks PMI-1: what it publishes can be read by every
// process of the job after the next barrier. It says goodbye when it is destroyed, for launchers
// take a process that ends without for one that has failed, and end the others.
// Threads: one at a time.

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/status.h"
#include "transport/rendezvous/pmi_endpoint.h"
#include "transport/rendezvous/pmi_link.h"
#include "transport/rendezvous/store.h"

namespace rondo::rendezvous {

class PmiClient {
 public:
  /// Longest time that a client's destructor waits for the launcher to hear its goodbye.
  static constexpr std::chrono::milliseconds kGoodbye{1000};

  struct Place {
    int index = 0;
    int count = 0;
  };

  /// Errors: those of PmiLink, and Unsupported (another version of PMI).
  static Result<std::unique_ptr<PmiClient>> connect(const PmiEndpoint& endpoint, Deadline deadline);
  ~PmiClient();
  PmiClient(const PmiClient&) = delete;
  PmiClient& operator=(const PmiClient&) = delete;

  /// Which process this is, where the launcher has said so on a connection by PMI_PORT.
  const std::optional<Place>& place() const { return place_; }

  /// Publishes bytes of any kind, once per `name` in a job; names are short and plain.
  Status put(const std::string& name, std::string_view bytes, Deadline deadline);
  /// Waits until every process of the job is here. Errors: Timeout, ...
  Status barrier(Deadline deadline);
  /// What was published under `name` before the last barrier; nothing where nobody did.
  Result<std::optional<std::string>> get(const std::string& name, Deadline deadline);

 private:
  explicit PmiClient(PmiLink link);
  Status present(int id, Deadline deadline);
  Status greet(Deadline deadline);
  Status learn_limits(Deadline deadline);
  Status reckon_value_bytes(int most);
  PmiMessage about(const char* command, const std::string& key) const;

  const pid_t owner_;
  PmiLink link_;
  bool greeted_ = false;
  std::optional<Place> place_;
  std::string job_name_;
  std::size_t most_key_bytes_ = 0;
  std::size_t most_value_bytes_ = 0;
};

}  // namespace rondo::rendezvous
