#include "transport/shm/control_page.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <map>
#include <mutex>

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

SharedView share(Mapping mapping) {
  auto owner = std::make_shared<Mapping>(std::move(mapping));
  std::byte* memory = owner->data();
  return {std::move(owner), memory};
}

// The pages of this process, for its other places.
std::mutex own_mutex;
std::map<FileId, std::weak_ptr<std::byte>>& own_pages() {
  static auto& pages = *new std::map<FileId, std::weak_ptr<std::byte>>;
  return pages;
}

void remember(const FileId& file, const SharedView& memory) {
  const std::lock_guard lock(own_mutex);
  std::erase_if(own_pages(), [](const auto& entry) { return entry.second.expired(); });
  own_pages()[file] = memory;
}

// [offset, offset + bytes) of a page, in this process's own mapping where there is one.
Result<SharedView> view_of(int fd, std::size_t offset, std::size_t bytes) {
  RONDO_ASSIGN(const FileId file, file_id(fd));
  {
    const std::lock_guard lock(own_mutex);
    const auto own = own_pages().find(file);
    if (own != own_pages().end()) {
      if (SharedView whole = own->second.lock()) return SharedView(whole, whole.get() + offset);
    }
  }
  RONDO_ASSIGN(Mapping mapping, Mapping::map(fd, offset, bytes, Mapping::Access::kRead));
  return share(std::move(mapping));
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
  RONDO_ASSIGN(const FileId file, file_id(fd.get()));
  ControlPage page(std::move(fd), share(std::move(mapping)));
  remember(file, page.memory_);
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
  return *reinterpret_cast<Channel*>(memory_.get() + channel_offset(peer, stride));
}

Slots ControlPage::slots(int peer) const {
  return {.memory = reinterpret_cast<std::byte*>(&channel(peer)) + kChannelBytes,
          .count = head().slot_count,
          .bytes = head().slot_bytes};
}

Result<PeerPage> PeerPage::open(UniqueFd fd, int world, int own_rank) {
  RONDO_ASSIGN(const std::uint64_t file_bytes, sealed_bytes(fd.get()));
  if (file_bytes < kHeadBytes)
    return Status(ErrorCode::kDataLoss, "a peer's control page is too short");
  RONDO_ASSIGN(SharedView head_view, view_of(fd.get(), 0, kHeadBytes));
  const auto& head = *reinterpret_cast<const ControlPageHead*>(head_view.get());
  const Slots shape{.count = head.slot_count, .bytes = head.slot_bytes};
  if (head.magic != kMagic || head.world != static_cast<std::uint32_t>(world) ||
      !plausible(shape.bytes, shape.count))
    return Status(ErrorCode::kDataLoss, "a peer's control page isn't of this world");
  const std::size_t stride = stride_bytes(shape.bytes, shape.count);
  const std::size_t offset = channel_offset(own_rank, stride);
  if (file_bytes < offset + stride)
    return Status(ErrorCode::kDataLoss, "a peer's control page is too short");
  RONDO_ASSIGN(SharedView channel, view_of(fd.get(), offset, stride));
  Slots slots = shape;
  slots.memory = channel.get() + kChannelBytes;
  return PeerPage(std::move(head_view), std::move(channel), slots);
}

}  // namespace rondo::transport
