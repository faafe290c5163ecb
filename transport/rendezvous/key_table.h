#pragma once

// The keys and values behind MemoryStore and the TCP server, within bounds. Numbers (add) are kept
// as decimal text. Pure: no clock, no waiting. Threads: the owner's.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/status.h"

namespace rondo::rendezvous {

inline constexpr std::size_t kMaxKeyBytes = 256;
inline constexpr std::size_t kMaxValueBytes = 64 * 1024;
/// Most that one table holds: 4096 processes with a full value each.
inline constexpr std::size_t kMaxTableBytes = 4096 * (kMaxKeyBytes + kMaxValueBytes);

/// InvalidArgument where `key` is empty or too long.
Status check_key(const std::string& key);
/// InvalidArgument where `key` or `value` is out of bounds.
Status check_entry(const std::string& key, const std::string& value);

class KeyTable {
 public:
  Status set(const std::string& key, const std::string& value);
  const std::string* find(const std::string& key) const;
  Result<std::int64_t> add(const std::string& key, std::int64_t delta);
  Result<std::string> compare_set(const std::string& key,
                                  const std::optional<std::string>& expected,
                                  const std::string& desired);
  void remove(const std::string& key);

  std::vector<std::string> missing(const std::vector<std::string>& keys) const;
  /// The values of keys that are all set.
  std::vector<std::string> values(const std::vector<std::string>& keys) const;

 private:
  std::unordered_map<std::string, std::string> entries_;
  std::size_t bytes_ = 0;
};

/// Timeout: these keys are not set.
Status keys_missing(const std::vector<std::string>& keys);
/// Timeout: the value of `key` has not changed.
Status value_unchanged(const std::string& key);

}  // namespace rondo::rendezvous
