#include "transport/shm/control_page.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>

#include "transport/shm/random_bits.h"

// Of Linux 5.1; older headers don't name it.
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace rondo::transport {
namespace {

constexpr std::uint64_t kMagic = 0x31656761506f6452;  // "RdoPage1"
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kMaxSlotBytes = std::size_t{16} << 20;

constexpr std::size_t pages(std::size_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

constexpr std::size_t kHeadBytes = pages(sizeof(ControlPageHead));
constexpr std::size_t kChannelBytes = pages(sizeof(Channel));

bool plausible(std::uint64_t slot_bytes, std::uint64_t slot_count) {
  return slot_bytes >= kCacheLineBytes && slot_bytes <= kMaxSlotBytes &&
         slot_bytes % kCacheLineBytes == 0 && slot_count >= 1 && slot_count <= kMaxSlots;
}

// One channel with its slots.
std::size_t stride_bytes(std::size_t slot_bytes, std::size_t slot_count) {
  return kChannelBytes + pages(kMaxLanes * slot_count * slot_bytes);
}

std::size_t channel_offset(int rank, std::size_t stride) {
  return kHeadBytes + static_cast<std::size_t>(rank) * stride;
}

// Lines are there from the start; only slots may stay holes until they are used.
Status provide_lines(int fd, int world, std::size_t stride) {
  for (int rank = 0; rank < world; ++rank)
    if (::fallocate(fd, 0, static_cast<off_t>(channel_offset(rank, stride)), kChannelBytes) != 0)
      return system_error("allocating message lines in shared memory", errno);
  return {};
}

Status close_to_writers(int fd) {
  constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW;
  if (seal(fd, kSizeSeals | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL).ok()) return {};
  return seal(fd, kSizeSeals | F_SEAL_SEAL);
}

}  // namespace

Result<ControlPage> ControlPage::create(int world, const ShmOptions& options) {
  if (!plausible(options.slot_bytes, options.slot_count))
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("{} slots of {} bytes: between 1 and {} slots of 64 bytes to 16 MiB, "
                              "a multiple of 64, are possible",
                              options.slot_count, options.slot_bytes, kMaxSlots));
  const std::size_t stride = stride_bytes(options.slot_bytes, options.slot_count);
  const std::size_t bytes = channel_offset(world, stride);
  RONDO_ASSIGN(UniqueFd fd, create_memfd("rondo-control", bytes));
  RONDO_TRY(provide_lines(fd.get(), world, stride));
  RONDO_ASSIGN(Mapping mapping, Mapping::map(fd.get(), 0, bytes, Mapping::Access::kReadWrite));
  RONDO_TRY(close_to_writers(fd.get()));
  ControlPage page(std::move(fd), std::move(mapping));
  ControlPageHead& head = page.head();
  head.magic = kMagic;
  head.world = static_cast<std::uint32_t>(world);
  head.asymmetric_fence = enable_asymmetric_fence() ? 1 : 0;
  head.slot_bytes = options.slot_bytes;
  head.slot_count = options.slot_count;
  head.probe_address = reinterpret_cast<std::uint64_t>(&head.probe_value);
  head.probe_value = random_bits();
  return page;
}

Channel& ControlPage::channel(int peer) const {
  const std::size_t stride = stride_bytes(head().slot_bytes, head().slot_count);
  return *reinterpret_cast<Channel*>(mapping_.data() + channel_offset(peer, stride));
}

Slots ControlPage::slots(int peer) const {
  return {.memory = reinterpret_cast<std::byte*>(&channel(peer)) + kChannelBytes,
          .count = head().slot_count,
          .bytes = head().slot_bytes};
}

Result<PeerPage> PeerPage::open(UniqueFd fd, int world, int own_rank) {
  constexpr auto kRead = Mapping::Access::kRead;
  RONDO_ASSIGN(const std::uint64_t file_bytes, sealed_bytes(fd.get()));
  if (file_bytes < kHeadBytes)
    return Status(ErrorCode::kDataLoss, "a peer's control page is too short");
  RONDO_ASSIGN(Mapping head_mapping, Mapping::map(fd.get(), 0, kHeadBytes, kRead));
  const auto& head = *reinterpret_cast<const ControlPageHead*>(head_mapping.data());
  const Slots shape{.count = head.slot_count, .bytes = head.slot_bytes};
  if (head.magic != kMagic || head.world != static_cast<std::uint32_t>(world) ||
      !plausible(shape.bytes, shape.count))
    return Status(ErrorCode::kDataLoss, "a peer's control page isn't of this world");
  const std::size_t stride = stride_bytes(shape.bytes, shape.count);
  const std::size_t offset = channel_offset(own_rank, stride);
  if (file_bytes < offset + stride)
    return Status(ErrorCode::kDataLoss, "a peer's control page is too short");
  RONDO_ASSIGN(Mapping channel, Mapping::map(fd.get(), offset, stride, kRead));
  Slots slots = shape;
  slots.memory = channel.data() + kChannelBytes;
  return PeerPage(std::move(head_mapping), std::move(channel), slots);
}

}  // namespace rondo::transport
