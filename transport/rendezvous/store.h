#pragma once

// Where the ranks of a job find each other before they are connected: a small key-value store.
// It hands out addresses, the epoch and key material, then steps aside.
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
  virtual Status remove(const std::string& key) = 0;
  /// Waits until the value of `key` is another than `seen`; the new value.
  virtual Result<std::string> watch(const std::string& key, const std::optional<std::string>& seen,
                                    Deadline deadline) = 0;
};

}  // namespace rondo::rendezvous
