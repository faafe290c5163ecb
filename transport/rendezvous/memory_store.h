#pragma once

// The store of one process: for a world of one, and for tests whose ranks are threads. Handles
// made from the same MemoryTable see the same keys.
// Threads: a table may be used from many threads; a handle, as every Store, by one at a time.

#include <condition_variable>
#include <memory>
#include <mutex>

#include "transport/rendezvous/key_table.h"
#include "transport/rendezvous/store.h"

namespace rondo::rendezvous {

struct MemoryTable {
  std::mutex mutex;
  std::condition_variable changed;
  KeyTable keys;
};

class MemoryStore final : public Store {
 public:
  /// Shared, because the handles of one world end in any order.
  explicit MemoryStore(std::shared_ptr<MemoryTable> table = std::make_shared<MemoryTable>());

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

 private:
  std::shared_ptr<MemoryTable> table_;
};

}  // namespace rondo::rendezvous
