#include "transport/shm/free_list.h"

#include <iterator>

namespace rondo::transport {
namespace {

constexpr std::size_t kLineBytes = 64;
constexpr std::size_t kPageBytes = 4096;

constexpr std::size_t alignment_of(std::size_t bytes) {
  return bytes >= kPageBytes ? kPageBytes : kLineBytes;
}

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

std::size_t FreeList::rounded(std::size_t bytes) { return align_up(bytes, alignment_of(bytes)); }

void FreeList::grow(std::uint64_t offset, std::size_t bytes) { add_gap(offset, bytes); }

std::optional<std::uint64_t> FreeList::allocate(std::size_t bytes) {
  const std::size_t wanted_bytes = rounded(bytes);
  for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
    const auto [start, gap_bytes] = *gap;
    const std::uint64_t offset = align_up(start, alignment_of(bytes));
    const std::uint64_t lead_bytes = offset - start;
    if (lead_bytes > gap_bytes || gap_bytes - lead_bytes < wanted_bytes) continue;
    gaps_.erase(gap);
    if (lead_bytes > 0) gaps_.emplace(start, lead_bytes);
    const std::size_t tail_bytes = gap_bytes - lead_bytes - wanted_bytes;
    if (tail_bytes > 0) gaps_.emplace(offset + wanted_bytes, tail_bytes);
    allocated_.emplace(offset, wanted_bytes);
    used_bytes_ += wanted_bytes;
    return offset;
  }
  return std::nullopt;
}

bool FreeList::free(std::uint64_t offset) {
  const auto found = allocated_.find(offset);
  if (found == allocated_.end()) return false;
  const std::size_t bytes = found->second;
  allocated_.erase(found);
  used_bytes_ -= bytes;
  add_gap(offset, bytes);
  return true;
}

std::size_t FreeList::abandon(std::uint64_t offset) {
  auto found = allocated_.upper_bound(offset);
  if (found == allocated_.begin()) return 0;
  --found;
  const std::size_t bytes = found->second;
  if (offset - found->first >= bytes) return 0;
  allocated_.erase(found);
  return bytes;
}

void FreeList::add_gap(std::uint64_t offset, std::size_t bytes) {
  const auto next = gaps_.lower_bound(offset);
  if (next != gaps_.end() && offset + bytes == next->first) {
    bytes += next->second;
    gaps_.erase(next);
  }
  const auto after = gaps_.lower_bound(offset);
  if (after != gaps_.begin()) {
    const auto previous = std::prev(after);
    if (previous->first + previous->second == offset) {
      previous->second += bytes;
      return;
    }
  }
  gaps_.emplace(offset, bytes);
}

}  // namespace rondo::transport
