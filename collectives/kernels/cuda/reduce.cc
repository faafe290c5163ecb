#include "collectives/kernels/cuda/reduce.h"

#include <algorithm>
#include <array>

#include "collectives/kernels/cuda/images.h"
#include "collectives/kernels/cuda/kernel_name.h"
#include "collectives/kernels/cuda/reduce_launches.h"
#include "collectives/kernels/cuda/reduce_parameters.h"
#include "core/device/cuda/stream.h"
#include "core/dtype.h"

namespace rondo::kernels {
namespace {

using cuda::ReduceParameters;

ReduceParameters parameters_of(const ReduceArguments& arguments) {
  ReduceParameters parameters{};
  std::size_t next = 0;
  for (const void* source : arguments.sources)
    parameters.pointers[next++] = const_cast<void*>(source);  // what is a source is only read
  for (void* target : arguments.targets) parameters.pointers[next++] = target;
  parameters.sources = static_cast<std::uint32_t>(arguments.sources.size());
  parameters.targets = static_cast<std::uint32_t>(arguments.targets.size());
  parameters.count = arguments.count;
  parameters.divisor = arguments.divisor;
  return parameters;
}

/// Enough to have every multiprocessor filled, and no more than there is work for: a thread moves
/// 16 bytes at a time at least.
unsigned int blocks_for(std::size_t bytes, int multiprocessors) {
  constexpr std::size_t kBlockBytes = std::size_t{cuda::kReduceThreads} * 16;
  constexpr std::size_t kBlocksEach = 8;
  const std::size_t most = static_cast<std::size_t>(multiprocessors) * kBlocksEach;
  return static_cast<unsigned int>(std::clamp<std::size_t>(bytes / kBlockBytes, 1, most));
}

Status launch(device::CudaStream& stream, CUfunction kernel, std::size_t element_bytes,
              const ReduceArguments& arguments) {
  const int multiprocessors = stream.context().multiprocessors();
  ReduceParameters parameters = parameters_of(arguments);
  std::array<void*, 1> pointers = {&parameters};
  return stream.launch_kernel(
      kernel, {blocks_for(arguments.count * element_bytes, multiprocessors), cuda::kReduceThreads},
      pointers.data());
}

}  // namespace

DeviceReduceKernel cuda_reduce_kernel(DataType type, ReduceOp op) {
  if (!is_combined_by(type, op)) return nullptr;
  return [type, op, name = cuda::kernel_name("reduce", type, op)](
             detail::StreamImpl& stream, const ReduceArguments& arguments) -> Status {
    if (arguments.count == 0) return {};
    auto& own = static_cast<device::CudaStream&>(stream);
    RONDO_ASSIGN(const CUfunction kernel,
                 own.context().kernel(rondo_cuda_reduce_image, name.c_str()));
    return cuda::launch_in_parts(type, op, arguments, [&](const ReduceArguments& part) {
      return launch(own, kernel, size_of(type), part);
    });
  };
}

}  // namespace rondo::kernels
