#pragma once

// The store that a PMIx launcher offers: every process publishes under its own index, a fence
// spreads what was published. There is no shared key that two processes could write, so add,
// compare_set, remove and watch are Unsupported; get and wait read keys of the form "name/index",
// as all_gather makes them, from the process that their last part names.
// Threads: one at a time.

#include <string>

#include "transport/rendezvous/pmix_client.h"
#include "transport/rendezvous/store.h"

namespace rondo::rendezvous {

class PmixStore final : public Store {
 public:
  /// Borrows `client`.
  explicit PmixStore(PmixClient& client) : client_(client) {}

  Status set(const std::string& key, const std::string& value) override;
  Result<std::optional<std::string>> get(const std::string& key) override;
  Result<std::vector<std::string>> wait(const std::vector<std::string>& keys,
                                        Deadline deadline) override;
  Result<std::int64_t> add(const std::string& key, std::int64_t delta) override;
  Result<std::string> compare_set(const std::string& key,
                                  const std::optional<std::string>& expected,
                                  const std::string& desired) override;
  Status remove(const std::vector<std::string>& keys) override;
  Result<std::string> watch(const std::string& key, const std::optional<std::string>& seen,
                            Deadline deadline) override;
  Result<std::vector<std::string>> all_gather(const std::string& key, int index, int world,
                                              const std::string& value, Deadline deadline) override;
  Result<std::vector<int>> missing(const std::string& key, int world) override;

 private:
  Result<std::optional<std::string>> get_until(const std::string& key, Deadline deadline);

  PmixClient& client_;
};

}  // namespace rondo::rendezvous
