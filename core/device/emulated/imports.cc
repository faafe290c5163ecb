#include "core/device/emulated/imports.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "core/device/emulated/event.h"
#include "core/device/emulated/handle.h"
#include "core/device/emulated/page_allocator.h"

namespace rondo::device {
namespace {

Status check_range(const SharedHandle& handle, int descriptor) {
  struct stat file = {};
  if (::fstat(descriptor, &file) != 0) return system_error("looking at exported memory", errno);
  const auto file_bytes = static_cast<std::uint64_t>(file.st_size);
  if (handle.bytes != 0 && handle.offset_bytes <= file_bytes &&
      handle.bytes <= file_bytes - handle.offset_bytes) {
    return {};
  }
  return Status(ErrorCode::kInvalidArgument,
                fmt::format("{} was said to be {} bytes at {}, but there are {} bytes",
                            describe(handle), handle.bytes, handle.offset_bytes, file_bytes));
}

}  // namespace

EmulatedImports::~EmulatedImports() {
  while (!memory_.empty()) release(const_cast<void*>(memory_.begin()->first));
}

Result<void*> EmulatedImports::memory(const SharedHandle& handle) {
  RONDO_TRY(check_handle(handle, DeviceKind::kEmulated, SharedKind::kMemory));
  RONDO_ASSIGN(const UniqueFd file, open_file(handle));
  RONDO_TRY(check_range(handle, file.get()));
  const std::size_t inside_page_bytes = handle.offset_bytes % PageAllocator::kPageBytes;
  const std::size_t start = handle.offset_bytes - inside_page_bytes;
  const std::size_t bytes = handle.bytes + inside_page_bytes;
  RONDO_ASSIGN(Mapping faulting, Mapping::create(file.get(), start, bytes, Access::kNone));
  RONDO_ASSIGN(Mapping alias, Mapping::create(file.get(), start, bytes, Access::kReadWrite));

  std::byte* pointer = faulting.data() + inside_page_bytes;
  table_.add_range(faulting.data(), bytes);
  table_.add_allocation(pointer, handle.bytes, alias.data() + inside_page_bytes);
  const std::lock_guard lock(mutex_);
  memory_[pointer] = {std::move(faulting), std::move(alias)};
  return static_cast<void*>(pointer);
}

void EmulatedImports::release(void* pointer) {
  const std::lock_guard lock(mutex_);
  const auto found = memory_.find(pointer);
  if (found == memory_.end()) return;
  table_.remove_allocation(static_cast<const std::byte*>(pointer));
  table_.remove_range(found->second.faulting.data());
  memory_.erase(found);
}

Result<std::shared_ptr<detail::EventImpl>> EmulatedImports::event(const SharedHandle& handle) {
  RONDO_TRY(check_handle(handle, DeviceKind::kEmulated, SharedKind::kEvent));
  const EmulatedOpaque opaque = opaque_of(handle);
  const std::lock_guard lock(mutex_);
  std::weak_ptr<PeerBoard>& known = boards_[{handle.process, opaque.volume, opaque.inode}];
  std::shared_ptr<PeerBoard> board = known.lock();
  if (board == nullptr) {
    RONDO_ASSIGN(board, PeerBoard::open(handle));
    known = board;
  }
  RONDO_TRY(board->check_slot(handle));
  return std::shared_ptr<detail::EventImpl>(
      std::make_shared<ImportedEvent>(std::move(board), handle));
}

}  // namespace rondo::device
