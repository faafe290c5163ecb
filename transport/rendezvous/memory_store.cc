#include "transport/rendezvous/memory_store.h"

#include <utility>

namespace rondo::rendezvous {

MemoryStore::MemoryStore(std::shared_ptr<MemoryTable> table) : table_(std::move(table)) {}

Status MemoryStore::set(const std::string& key, const std::string& value) {
  const std::lock_guard lock(table_->mutex);
  RONDO_TRY(table_->keys.set(key, value));
  table_->changed.notify_all();
  return {};
}

Result<std::optional<std::string>> MemoryStore::get(const std::string& key) {
  const std::lock_guard lock(table_->mutex);
  const std::string* held = table_->keys.find(key);
  return held ? std::optional<std::string>(*held) : std::nullopt;
}

Result<std::vector<std::string>> MemoryStore::wait(const std::vector<std::string>& keys,
                                                   Deadline deadline) {
  std::unique_lock lock(table_->mutex);
  const auto all_set = [&] { return table_->keys.missing(keys).empty(); };
  if (!table_->changed.wait_until(lock, deadline, all_set)) {
    return keys_missing(table_->keys.missing(keys));
  }
  return table_->keys.values(keys);
}

Result<std::int64_t> MemoryStore::add(const std::string& key, std::int64_t delta) {
  const std::lock_guard lock(table_->mutex);
  auto number = table_->keys.add(key, delta);
  table_->changed.notify_all();
  return number;
}

Result<std::string> MemoryStore::compare_set(const std::string& key,
                                             const std::optional<std::string>& expected,
                                             const std::string& desired) {
  const std::lock_guard lock(table_->mutex);
  auto held = table_->keys.compare_set(key, expected, desired);
  table_->changed.notify_all();
  return held;
}

Status MemoryStore::remove(const std::vector<std::string>& keys) {
  const std::lock_guard lock(table_->mutex);
  for (const auto& key : keys) table_->keys.remove(key);
  table_->changed.notify_all();
  return {};
}

Result<std::string> MemoryStore::watch(const std::string& key,
                                       const std::optional<std::string>& seen, Deadline deadline) {
  std::unique_lock lock(table_->mutex);
  const auto changed = [&] {
    const std::string* held = table_->keys.find(key);
    return held && (!seen || *held != *seen);
  };
  if (!table_->changed.wait_until(lock, deadline, changed)) return value_unchanged(key);
  return *table_->keys.find(key);
}

}  // namespace rondo::rendezvous
