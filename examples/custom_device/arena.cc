#include "examples/custom_device/arena.h"

#include <functional>
#include <iterator>
#include <utility>

namespace custom_cpu {
namespace {

/// Blocks are whole pages, so that those of one that is given back are nobody else's.
constexpr std::uint64_t kPageBytes = 4096;

std::uint64_t in_pages(std::uint64_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

}  // namespace

std::unique_ptr<Arena> Arena::create(std::uint64_t bytes) {
  auto file = SharedFile::create(bytes);
  if (file == nullptr) return nullptr;
  return std::unique_ptr<Arena>(new Arena(std::move(file)));
}

/// The first gap that is large enough.
std::byte* Arena::allocate(std::uint64_t bytes) {
  if (bytes == 0 || bytes > file_->bytes()) return nullptr;
  const std::uint64_t whole = in_pages(bytes);
  std::uint64_t gap = 0;
  for (const auto& [offset, taken] : blocks_) {
    if (offset - gap >= whole) break;
    gap = offset + in_pages(taken);
  }
  if (whole > file_->bytes() - gap) return nullptr;
  blocks_[gap] = bytes;
  return at(gap);
}

bool Arena::free(const std::byte* memory) {
  if (!holds(memory)) return false;
  const auto block = blocks_.find(offset_of(memory));
  if (block == blocks_.end()) return false;
  file_->empty(block->first, in_pages(block->second));
  blocks_.erase(block);
  return true;
}

std::uint64_t Arena::bytes_from(const std::byte* memory) const {
  if (!holds(memory)) return 0;
  const std::uint64_t offset = offset_of(memory);
  const auto after = blocks_.upper_bound(offset);
  if (after == blocks_.begin()) return 0;
  const auto& [start, bytes] = *std::prev(after);
  return offset - start < bytes ? bytes - (offset - start) : 0;
}

bool Arena::holds(const std::byte* memory) const {
  const std::less<const std::byte*> before;
  return !before(memory, at(0)) && before(memory, at(file_->bytes()));
}

}  // namespace custom_cpu
