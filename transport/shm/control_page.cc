#include "transport/shm/control_page.h"

#include <fcntl.h>

#include "core/numa.h"
#include "core/random_bits.h"
#include "transport/shm/slot_file.h"

// Of Linux 5.1; older headers don't name it.
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace rondo::transport {
namespace {

constexpr std::uint64_t kMagic = 0x32656761506f6452;  // "RdoPage3"
constexpr std::size_t kPageBytes = 4096;

constexpr std::size_t pages(std::size_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

constexpr std::size_t kHeadBytes = pages(sizeof(ControlPageHead));
constexpr std::size_t kChannelBytes = pages(sizeof(Channel));

constexpr std::size_t channel_offset(int index) {
  return kHeadBytes + static_cast<std::size_t>(index) * kChannelBytes;
}

Status close_to_writers(int fd) {
  constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW;
  if (seal(fd, kSizeSeals | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL).ok()) return {};
  return seal(fd, kSizeSeals | F_SEAL_SEAL);
}

}  // namespace

Result<ControlPage> ControlPage::create(int ranks, const Slots& slots) {
  const std::size_t bytes = channel_offset(ranks);
  RONDO_ASSIGN(UniqueFd fd, create_memfd("rondo-control", bytes));
  // Lines are there from the start: a full memory shows now, not in the middle of a call.
  RONDO_TRY(allocate_pages(fd.get(), 0, bytes));
  RONDO_ASSIGN(SharedView memory, map_own(fd.get(), bytes));
  place_near_this_thread(memory.get(), bytes);
  RONDO_TRY(close_to_writers(fd.get()));
  ControlPage page(std::move(fd), std::move(memory));
  ControlPageHead& head = page.head();
  head.magic = kMagic;
  head.ranks = static_cast<std::uint32_t>(ranks);
  head.asymmetric_fence = enable_asymmetric_fence() ? 1 : 0;
  head.slot_bytes = slots.bytes;
  head.slot_count = slots.count;
  head.probe_address = reinterpret_cast<std::uint64_t>(&head.probe_value);
  head.probe_value = random_bits();
  return page;
}

Channel& ControlPage::channel(int index) const {
  return *reinterpret_cast<Channel*>(memory_.get() + channel_offset(index));
}

Result<PeerPage> PeerPage::open(UniqueFd fd, int ranks, int own_index) {
  RONDO_ASSIGN(const std::uint64_t file_bytes, sealed_bytes(fd.get()));
  if (file_bytes < channel_offset(ranks))
    return Status(ErrorCode::kDataLoss, "a peer's control page is too short");
  RONDO_ASSIGN(SharedView head_view, view_of(fd.get(), 0, kHeadBytes, Mapping::Access::kRead));
  const auto& head = *reinterpret_cast<const ControlPageHead*>(head_view.get());
  const Slots shape{.count = head.slot_count, .bytes = head.slot_bytes};
  if (head.magic != kMagic || head.ranks != static_cast<std::uint32_t>(ranks) || !plausible(shape))
    return Status(ErrorCode::kDataLoss,
                  "a peer's control page isn't one for the ranks of this host");
  RONDO_ASSIGN(SharedView channel,
               view_of(fd.get(), channel_offset(own_index), kChannelBytes, Mapping::Access::kRead));
  return PeerPage(std::move(head_view), std::move(channel), shape);
}

}  // namespace rondo::transport
