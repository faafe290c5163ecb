#include "collectives/execute/device/kernel_mail.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "collectives/kernels/device_schedule.h"
#include "core/environment.h"

namespace rondo::execute {

using kernels::cuda::kMostScheduleLanes;
using kernels::cuda::Letter;
using kernels::cuda::ScheduleCall;
using kernels::cuda::ScheduleState;
using kernels::cuda::ScheduleWords;

namespace {

/// That a device has to hold at once for kernels to be worth it: alike for all devices, since ranks
/// decide each for itself.
constexpr std::uint32_t kLeastBlocks = 64;

std::mutex& taken_mutex() {
  static std::mutex& mutex = *new std::mutex();
  return mutex;
}
/// By device: what communicators of this process have taken.
std::map<int, unsigned int>& taken_blocks() {
  static auto& taken = *new std::map<int, unsigned int>();
  return taken;
}

}  // namespace

Result<DeviceBytes> allocate_on(DevicePlace& place, std::size_t bytes) {
  device::DeviceDriver& driver = place.driver();
  RONDO_ASSIGN(void* memory, driver.allocate(place.device().index, bytes));
  return DeviceBytes(memory, [&driver](void* own) { driver.free(own); });
}

Status fill(DevicePlace& place, void* target, const void* source, std::size_t bytes) {
  // Not one that a call's kernel may be in, which waits for peers; and always the same: see
  // kQueuesEach.
  RONDO_ASSIGN(detail::StreamImpl* const stream, place.stream(1));
  RONDO_TRY(stream->copy(target, source, bytes));
  return stream->synchronize();
}

Result<unsigned int> KernelMail::most_blocks() {
  constexpr IntegerRange kRange{kMostScheduleLanes, 1 << 16};
  RONDO_ASSIGN(const std::int64_t most,
               environment_integer("RONDO_KERNEL_BLOCKS", kRange.highest, kRange));
  return static_cast<unsigned int>(most);
}

bool KernelMail::suits(int world) {
  const auto ranks = static_cast<std::uint32_t>(world);
  return ranks <= ScheduleCall::kMostPeers + 1 && ranks * kMostScheduleLanes <= kLeastBlocks;
}

Result<std::unique_ptr<KernelMail>> KernelMail::make(DevicePlace& place, int world, int sharers) {
  std::unique_ptr<KernelMail> made(new KernelMail(place, world, sharers));
  RONDO_TRY(made->take_blocks());
  RONDO_ASSIGN(made->words_,
               place.driver().allocate_words(place.device().index, sizeof(ScheduleWords)));
  RONDO_ASSIGN(made->state_, made->allocate_empty(sizeof(ScheduleState)));
  RONDO_ASSIGN(made->goodbyes_, made->allocate_empty(made->goodbyes_bytes()));
  RONDO_TRY(made->reserve(1));
  return made;
}

KernelMail::~KernelMail() {
  const std::lock_guard lock(taken_mutex());
  taken_blocks()[place_.device().index] -= taken_;
}

/// Kernels that wait for each other, and of which one has no room, wait for ever.
Status KernelMail::take_blocks() {
  RONDO_ASSIGN(const detail::StreamImpl* stream, place_.stream(0));
  RONDO_ASSIGN(const unsigned int resident, kernels::resident_blocks(*stream));
  RONDO_ASSIGN(const unsigned int most, most_blocks());
  const std::lock_guard lock(taken_mutex());
  unsigned int& taken = taken_blocks()[place_.device().index];
  // Of a device of its own a rank leaves half: for a communicator of some of the world's ranks.
  const unsigned int share =
      std::min(resident / static_cast<unsigned int>(std::max(sharers_, 2)), most);
  if (resident < kLeastBlocks || taken + share > resident) {
    return Status(ErrorCode::kDevice,
                  fmt::format("{} holds {} blocks at once, and {} of them belong to other "
                              "communicators: one more of {} ranks has no room for its kernels; "
                              "destroy one first, or set RONDO_DEVICE_PATH=auto",
                              device::name_of(place_.device()), resident, taken, world_));
  }
  taken += share;
  taken_ = share;
  blocks_ = std::max(share, std::uint32_t{kMostScheduleLanes});
  return {};
}

Status KernelMail::reserve(std::uint32_t stride) {
  const std::lock_guard lock(mutex_);
  if (stride <= stride_) return {};
  RONDO_ASSIGN(DeviceBytes memory, allocate_empty(letters_bytes(stride)));
  letters_.push_back(std::move(memory));
  stride_ = stride;
  return {};
}

KernelMail::Letters KernelMail::letters() const {
  const std::lock_guard lock(mutex_);
  return {static_cast<Letter*>(letters_.back().get()), stride_};
}

std::size_t KernelMail::letters_bytes(std::uint32_t stride) const {
  return std::size_t{stride} * kMostScheduleLanes * static_cast<std::size_t>(world_) *
         sizeof(Letter);
}

std::size_t KernelMail::goodbyes_bytes() const {
  return 3 * static_cast<std::size_t>(world_) * sizeof(std::uint32_t);
}

std::uint32_t KernelMail::number_call() {
  calls_ = calls_ == ~std::uint32_t{0} ? 1 : calls_ + 1;
  return calls_;
}

bool KernelMail::has_ended(std::uint32_t number) const {
  return std::atomic_ref(words().ended).load(std::memory_order_acquire) == number;
}

int KernelMail::differs_from() const {
  const std::uint32_t rank = std::atomic_ref(words().differs).load(std::memory_order_acquire);
  return rank == 0 ? kNoCulprit : static_cast<int>(rank) - 1;
}

void KernelMail::give_up() { std::atomic_ref(words().abort).store(1, std::memory_order_release); }

int KernelMail::waits_for() const {
  const std::uint32_t rank = std::atomic_ref(words().waits_for).load(std::memory_order_acquire);
  return rank == 0 ? kNoCulprit : static_cast<int>(rank) - 1;
}

Result<DeviceBytes> KernelMail::allocate_empty(std::size_t bytes) {
  RONDO_ASSIGN(DeviceBytes memory, allocate_on(place_, bytes));
  const std::vector<std::byte> zeros(bytes);
  RONDO_TRY(fill(place_, memory.get(), zeros.data(), bytes));
  return memory;
}

}  // namespace rondo::execute
