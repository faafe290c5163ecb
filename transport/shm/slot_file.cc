#include "transport/shm/slot_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <utility>

#include "core/numa.h"

namespace rondo::transport {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kMaxSlotBytes = std::size_t{16} << 20;

constexpr std::size_t kBoardBytes = sizeof(BulletinBoard);
static_assert(kBoardBytes % kPageBytes == 0);

std::size_t stride_bytes(const Slots& shape) {
  return (kMaxLanes * shape.count * shape.bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

}  // namespace

bool plausible(const Slots& shape) {
  return shape.bytes >= kCacheLineBytes && shape.bytes <= kMaxSlotBytes &&
         shape.bytes % kCacheLineBytes == 0 && shape.count >= 1 && shape.count <= kMaxSlots;
}

Result<SlotFile> SlotFile::create(int ranks, const Slots& shape) {
  if (!plausible(shape))
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("{} slots of {} bytes: between 1 and {} slots of 64 bytes to 16 MiB, "
                              "a multiple of 64, are possible",
                              shape.count, shape.bytes, kMaxSlots));
  const std::size_t bytes = kBoardBytes + static_cast<std::size_t>(ranks) * stride_bytes(shape);
  RONDO_ASSIGN(UniqueFd fd, create_memfd("rondo-slots", bytes));
  RONDO_TRY(allocate_pages(fd.get(), 0, kBoardBytes));
  RONDO_ASSIGN(SharedView memory, map_own(fd.get(), bytes));
  RONDO_TRY(seal(fd.get(), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL));
  place_near_this_thread(memory.get(), bytes);
  return SlotFile(std::move(fd), std::move(memory), shape);
}

Slots SlotFile::slots(int index) const {
  Slots slots = shape_;
  slots.memory =
      memory_.get() + kBoardBytes + static_cast<std::size_t>(index) * stride_bytes(shape_);
  return slots;
}

Result<PeerSlots> PeerSlots::open(UniqueFd fd, const Slots& shape, int own_index) {
  RONDO_ASSIGN(const std::uint64_t file_bytes, sealed_bytes(fd.get()));
  const std::size_t stride = stride_bytes(shape);
  const std::size_t offset = kBoardBytes + static_cast<std::size_t>(own_index) * stride;
  if (file_bytes < offset + stride)
    return Status(ErrorCode::kDataLoss, "a peer's slots are fewer than it says");
  constexpr auto kAccess = Mapping::Access::kReadWrite;
  RONDO_ASSIGN(SharedView bulletins, view_of(fd.get(), 0, kBoardBytes, kAccess));
  RONDO_ASSIGN(SharedView memory, view_of(fd.get(), offset, stride, kAccess));
  Slots slots = shape;
  slots.memory = memory.get();
  return PeerSlots(std::move(bulletins), std::move(memory), slots);
}

}  // namespace rondo::transport
