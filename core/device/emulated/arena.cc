#include "core/device/emulated/arena.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "core/device/emulated/handle.h"
#include "core/device/emulated/sealed_file.h"

namespace rondo::device {

Result<std::unique_ptr<EmulatedArena>> EmulatedArena::create(Device device,
                                                             std::size_t capacity_bytes,
                                                             AliasTable& table) {
  RONDO_ASSIGN(UniqueFd file, create_sealed_file("rondo-emulated", capacity_bytes));
  RONDO_ASSIGN(Mapping faulting, Mapping::create(file.get(), 0, capacity_bytes, Access::kNone));
  RONDO_ASSIGN(Mapping alias, Mapping::create(file.get(), 0, capacity_bytes, Access::kReadWrite));
  return std::unique_ptr<EmulatedArena>(
      new EmulatedArena(device, std::move(file), std::move(faulting), std::move(alias), table));
}

EmulatedArena::EmulatedArena(Device device, UniqueFd file, Mapping faulting, Mapping alias,
                             AliasTable& table)
    : device_(device),
      file_(std::move(file)),
      faulting_(std::move(faulting)),
      alias_(std::move(alias)),
      table_(table),
      pages_(faulting_.bytes()) {
  table_.add_range(faulting_.data(), faulting_.bytes());
}

EmulatedArena::~EmulatedArena() { table_.remove_range(faulting_.data()); }

Result<void*> EmulatedArena::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto offset = pages_.allocate(bytes);
  if (!offset) {
    return Status(
        ErrorCode::kDevice,
        fmt::format("{} is out of memory: asked for {} bytes, the largest gap is {} of "
                    "{} bytes (RONDO_EMULATED_MEMORY_MIB)",
                    name_of(device_), bytes, pages_.largest_gap_bytes(), faulting_.bytes()));
  }
  std::byte* pointer = faulting_.data() + *offset;
  table_.add_allocation(pointer, bytes, alias_.data() + *offset);
  numbers_[address_of(pointer)] = new_number();
  return static_cast<void*>(pointer);
}

bool EmulatedArena::free(void* pointer) {
  if (!contains(pointer)) return false;
  const std::lock_guard lock(mutex_);
  const std::size_t offset = offset_of(pointer);
  const std::size_t freed_bytes = pages_.free(offset);
  if (freed_bytes == 0) return false;
  table_.remove_allocation(static_cast<const std::byte*>(pointer));
  numbers_.erase(address_of(pointer));
  // Best effort: where the hole can't be made the pages stay until they are used again.
  ::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
              static_cast<off_t>(freed_bytes));
  return true;
}

bool EmulatedArena::contains(const void* pointer) const {
  const auto* address = static_cast<const std::byte*>(pointer);
  return address >= faulting_.data() && address < faulting_.data() + faulting_.bytes();
}

Result<SharedHandle> EmulatedArena::export_memory(const void* pointer) const {
  SharedHandle handle = new_handle(device_, SharedKind::kMemory);
  handle.bytes = table_.bytes_left(pointer);
  if (handle.bytes == 0) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("{} is in no allocation of {}", pointer, name_of(device_)));
  }
  handle.offset_bytes = offset_of(pointer);
  {
    const std::lock_guard lock(mutex_);
    const auto allocation = std::prev(numbers_.upper_bound(address_of(pointer)));
    handle.base = allocation->first;
    handle.allocation = allocation->second;
  }
  RONDO_TRY(name_file(handle, file_.get()));
  return handle;
}

bool EmulatedArena::lives(const SharedHandle& memory) const {
  const std::lock_guard lock(mutex_);
  const auto allocation = numbers_.find(memory.base);
  return allocation != numbers_.end() && allocation->second == memory.allocation;
}

std::size_t EmulatedArena::offset_of(const void* pointer) const {
  return static_cast<std::size_t>(static_cast<const std::byte*>(pointer) - faulting_.data());
}

}  // namespace rondo::device
