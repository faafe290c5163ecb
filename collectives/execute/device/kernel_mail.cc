#include "collectives/execute/device/kernel_mail.h"

namespace rondo::execute {

using kernels::cuda::kMostScheduleLanes;
using kernels::cuda::Letter;
using kernels::cuda::ScheduleState;
using kernels::cuda::ScheduleWords;

Result<DeviceBytes> allocate_on(DevicePlace& place, std::size_t bytes) {
  device::DeviceDriver& driver = place.driver();
  RONDO_ASSIGN(void* memory, driver.allocate(place.device().index, bytes));
  return DeviceBytes(memory, [&driver](void* own) { driver.free(own); });
}

Status fill(DevicePlace& place, void* target, const void* source, std::size_t bytes) {
  RONDO_ASSIGN(detail::StreamImpl * stream, place.stream(0));
  RONDO_TRY(stream->copy(target, source, bytes));
  return stream->synchronize();
}

Result<std::unique_ptr<KernelMail>> KernelMail::make(DevicePlace& place, int world) {
  std::unique_ptr<KernelMail> made(new KernelMail(place, world));
  RONDO_ASSIGN(made->words_,
               place.driver().allocate_words(place.device().index, sizeof(ScheduleWords)));
  RONDO_ASSIGN(made->state_, made->allocate_empty(sizeof(ScheduleState)));
  const std::size_t turns = 2;
  RONDO_ASSIGN(made->goodbyes_, made->allocate_empty(turns * static_cast<std::size_t>(world) *
                                                     sizeof(std::uint32_t)));
  RONDO_TRY(made->reserve(1));
  return made;
}

Status KernelMail::reserve(std::uint32_t stride) {
  if (stride <= stride_) return {};
  const std::size_t letters = std::size_t{stride} * kMostScheduleLanes;
  RONDO_ASSIGN(DeviceBytes memory,
               allocate_empty(letters * static_cast<std::size_t>(world_) * sizeof(Letter)));
  letters_.push_back(std::move(memory));
  stride_ = stride;
  return {};
}

Result<DeviceBytes> KernelMail::allocate_empty(std::size_t bytes) {
  RONDO_ASSIGN(DeviceBytes memory, allocate_on(place_, bytes));
  const std::vector<std::byte> zeros(bytes);
  RONDO_TRY(fill(place_, memory.get(), zeros.data(), bytes));
  return memory;
}

}  // namespace rondo::execute
