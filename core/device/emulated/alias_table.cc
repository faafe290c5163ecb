#include "core/device/emulated/alias_table.h"

#include <fmt/format.h>

#include <iterator>
#include <mutex>

namespace rondo::device {

void AliasTable::add_range(const std::byte* start, std::size_t bytes) {
  const std::unique_lock lock(mutex_);
  ranges_[start] = {bytes, nullptr};
}

void AliasTable::remove_range(const std::byte* start) {
  const std::unique_lock lock(mutex_);
  const auto range = ranges_.find(start);
  if (range == ranges_.end()) return;
  const auto end = allocations_.lower_bound(start + range->second.bytes);
  allocations_.erase(allocations_.lower_bound(start), end);
  ranges_.erase(range);
}

void AliasTable::add_allocation(const std::byte* start, std::size_t bytes, std::byte* alias) {
  const std::unique_lock lock(mutex_);
  allocations_[start] = {bytes, alias};
}

void AliasTable::remove_allocation(const std::byte* start) {
  const std::unique_lock lock(mutex_);
  allocations_.erase(start);
}

std::size_t AliasTable::allocations() const {
  const std::shared_lock lock(mutex_);
  return allocations_.size();
}

bool AliasTable::is_known(const void* pointer) const {
  const std::shared_lock lock(mutex_);
  return find(ranges_, pointer).inside;
}

std::byte* AliasTable::alias_of(const void* pointer) const {
  const std::shared_lock lock(mutex_);
  const Found found = find(allocations_, pointer);
  return found.inside ? found.range.alias + found.offset_bytes : nullptr;
}

Result<std::byte*> AliasTable::resolve(const void* pointer, std::size_t bytes) const {
  const std::shared_lock lock(mutex_);
  const Found found = find(allocations_, pointer);
  if (!found.inside) {
    // The cast gives back what the caller had: a stream writes to its target through this.
    auto* address = static_cast<std::byte*>(const_cast<void*>(pointer));
    if (!find(ranges_, pointer).inside) return address;
    return Status(ErrorCode::kDevice,
                  fmt::format("device address {} was freed, or never allocated", pointer));
  }
  const std::size_t left_bytes = found.range.bytes - found.offset_bytes;
  if (bytes > left_bytes) {
    return Status(ErrorCode::kDevice,
                  fmt::format("{} bytes at device address {} run past the end of an allocation of "
                              "{} bytes: {} are left there",
                              bytes, pointer, found.range.bytes, left_bytes));
  }
  return found.range.alias + found.offset_bytes;
}

std::size_t AliasTable::bytes_left(const void* pointer) const {
  const std::shared_lock lock(mutex_);
  const Found found = find(allocations_, pointer);
  return found.inside ? found.range.bytes - found.offset_bytes : 0;
}

AliasTable::Found AliasTable::find(const Ranges& ranges, const void* pointer) {
  const auto* address = static_cast<const std::byte*>(pointer);
  auto after = ranges.upper_bound(address);
  if (after == ranges.begin()) return {};
  const auto& [start, range] = *std::prev(after);
  const auto offset_bytes = static_cast<std::size_t>(address - start);
  return {offset_bytes, range, offset_bytes < range.bytes};
}

}  // namespace rondo::device
