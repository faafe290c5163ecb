#include "collectives/kernels/cuda/schedule.h"

#include <array>

#include "collectives/kernels/cuda/images.h"
#include "collectives/kernels/cuda/kernel_name.h"
#include "collectives/kernels/cuda/reduce_parameters.h"
#include "core/device/cuda/stream.h"
#include "core/dtype.h"

namespace rondo::kernels {

DeviceScheduleKernel cuda_schedule_kernel(DataType type, ReduceOp op) {
  if (!is_combined_by(type, op)) return nullptr;
  return [name = cuda::kernel_name("schedule", type, op)](
             detail::StreamImpl& stream, const cuda::ScheduleCall& call) -> Status {
    auto& own = static_cast<device::CudaStream&>(stream);
    RONDO_ASSIGN(const CUfunction kernel,
                 own.context().kernel(rondo_cuda_schedule_image, name.c_str()));
    cuda::ScheduleCall parameter = call;
    std::array<void*, 1> pointers = {&parameter};
    return own.launch_kernel(kernel, {call.lane_count * call.blocks_per_lane, cuda::kReduceThreads},
                             pointers.data());
  };
}

Result<unsigned int> cuda_resident_blocks(const detail::StreamImpl& stream) {
  const auto& own = static_cast<const device::CudaStream&>(stream);
  return static_cast<unsigned int>(own.context().multiprocessors()) * cuda::kScheduleBlocks;
}

}  // namespace rondo::kernels
