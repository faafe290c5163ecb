#include "transport/rendezvous/key_table.h"

#include <fmt/format.h>

#include <charconv>

namespace rondo::rendezvous {
namespace {

Result<std::int64_t> parse_number(const std::string& key, const std::string& text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && stop == end) return number;
  return Status(
      ErrorCode::kInvalidArgument,
      fmt::format("'{}' holds {} bytes that are no number: add to another key", key, text.size()));
}

}  // namespace

Status check_key(const std::string& key) {
  if (!key.empty() && key.size() <= kMaxKeyBytes) return {};
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("a key of the store has 1 to {} bytes, this one has {}", kMaxKeyBytes,
                            key.size()));
}

Status check_entry(const std::string& key, const std::string& value) {
  RONDO_TRY(check_key(key));
  if (value.size() <= kMaxValueBytes) return {};
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("a value of the store has at most {} bytes, that of '{}' has {}",
                            kMaxValueBytes, key, value.size()));
}

Status KeyTable::set(const std::string& key, const std::string& value) {
  RONDO_TRY(check_entry(key, value));
  const std::string* old = find(key);
  const std::size_t freed = old ? key.size() + old->size() : 0;
  const std::size_t bytes = bytes_ - freed + key.size() + value.size();
  if (bytes > kMaxTableBytes) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("the store is full: '{}' would take it over {} bytes; it is for "
                              "addresses, not for data",
                              key, kMaxTableBytes));
  }
  bytes_ = bytes;
  entries_[key] = value;
  return {};
}

const std::string* KeyTable::find(const std::string& key) const {
  const auto entry = entries_.find(key);
  return entry == entries_.end() ? nullptr : &entry->second;
}

Result<std::int64_t> KeyTable::add(const std::string& key, std::int64_t delta) {
  std::int64_t number = 0;
  if (const std::string* held = find(key)) {
    RONDO_ASSIGN(number, parse_number(key, *held));
  }
  if (__builtin_add_overflow(number, delta, &number)) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("adding {} to '{}' overflows 64 bits", delta, key));
  }
  RONDO_TRY(set(key, std::to_string(number)));
  return number;
}

Result<std::string> KeyTable::compare_set(const std::string& key,
                                          const std::optional<std::string>& expected,
                                          const std::string& desired) {
  const std::string* held = find(key);
  const bool equal = held ? expected && *held == *expected : !expected;
  if (equal) {
    RONDO_TRY(set(key, desired));
    return desired;
  }
  return held ? *held : std::string();
}

void KeyTable::remove(const std::string& key) {
  const auto entry = entries_.find(key);
  if (entry == entries_.end()) return;
  bytes_ -= entry->first.size() + entry->second.size();
  entries_.erase(entry);
}

std::vector<std::string> KeyTable::missing(const std::vector<std::string>& keys) const {
  std::vector<std::string> absent;
  for (const auto& key : keys) {
    if (!find(key)) absent.push_back(key);
  }
  return absent;
}

std::vector<std::string> KeyTable::values(const std::vector<std::string>& keys) const {
  std::vector<std::string> held;
  held.reserve(keys.size());
  for (const auto& key : keys) held.push_back(*find(key));
  return held;
}

Status keys_missing(const std::vector<std::string>& keys) {
  std::string names;
  for (const auto& key : keys) names += (names.empty() ? "'" : ", '") + key + "'";
  return Status(ErrorCode::kTimeout, "not set in time: " + names);
}

Status value_unchanged(const std::string& key) {
  return Status(ErrorCode::kTimeout, "the value of '" + key + "' has not changed in time");
}

}  // namespace rondo::rendezvous
