#pragma once

// Where the ranks of a job find each other before they are connected: a small key-value store.
// It hands out addresses, the epoch and key material, then steps aside. Not every store can do
// everything (PMIx only set, get, wait and all_gather): joining a world needs all_gather alone.
// Threads: one at a time per object. Keys are short text, values are bytes (at most 64 KiB).

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/status.h"

namespace rondo::rendezvous {

using Deadline = std::chrono::steady_clock::time_point;

class Store {
 public:
  virtual ~Store() = default;
  virtual Status set(const std::string& key, const std::string& value) = 0;
  /// The value, or nothing if the key isn't set.
  virtual Result<std::optional<std::string>> get(const std::string& key) = 0;
  /// Waits until every key is set; values in the order of `keys`.
  /// Errors: Timeout, whose message lists the keys that are missing.
  virtual Result<std::vector<std::string>> wait(const std::vector<std::string>& keys,
                                                Deadline deadline) = 0;
  /// Adds to a number (0 where not set); the new value.
  virtual Result<std::int64_t> add(const std::string& key, std::int64_t delta) = 0;
  /// Sets `key` to `desired` if it holds `expected` (nothing: not set); the value it holds after.
  virtual Result<std::string> compare_set(const std::string& key,
                                          const std::optional<std::string>& expected,
                                          const std::string& desired) = 0;
  /// Those that aren't set are no error.
  virtual Status remove(const std::vector<std::string>& keys) = 0;
  /// Waits until `key` is set to another value than `seen`; the new value.
  virtual Result<std::string> watch(const std::string& key, const std::optional<std::string>& seen,
                                    Deadline deadline) = 0;

  /// Gives `value` to every process of `world` and takes theirs; values by process index. Called
  /// once per `key` by each of them.
  /// Errors: Timeout (the message and the culprit name the processes that have not come),
  /// Mismatch (two processes claim one index, or the key was used before with another value).
  virtual Result<std::vector<std::string>> all_gather(const std::string& key, int index, int world,
                                                      const std::string& value, Deadline deadline);
  /// Which processes of `world` have not come to all_gather(`key`), as far as can be known now.
  virtual Result<std::vector<int>> missing(const std::string& key, int world);
};

}  // namespace rondo::rendezvous
