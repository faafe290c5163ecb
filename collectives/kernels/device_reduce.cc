#include "collectives/kernels/device_reduce.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "collectives/kernels/cuda/reduce.h"
#include "collectives/kernels/cuda/reduce_launches.h"
#include "core/device/emulated/emulated.h"
#include "core/device/plugin/registry.h"
#include "core/device/plugin/stream.h"

namespace rondo::kernels {
namespace {

/// One reduction on its way to an emulated device.
struct EmulatedReduction {
  ReduceKernel kernel;
  std::size_t element_bytes;
  std::vector<const void*> sources;
  std::vector<void*> targets;
  std::size_t count;
  int divisor;

  /// In the stream's thread, which alone sees the bytes.
  Status run() const {
    const std::size_t bytes = count * element_bytes;
    std::vector<const void*> seen_sources;
    std::vector<void*> seen_targets;
    for (const void* source : sources) {
      RONDO_ASSIGN(const std::byte* seen, device::emulated_memory(source, bytes));
      seen_sources.push_back(seen);
    }
    for (void* target : targets) {
      RONDO_ASSIGN(std::byte * seen, device::emulated_memory(target, bytes));
      seen_targets.push_back(seen);
    }
    kernel({.sources = seen_sources, .targets = seen_targets, .count = count, .divisor = divisor});
    return {};
  }
};

DeviceReduceKernel emulated_kernel(ReduceKernel kernel, DataType type) {
  return [kernel, type](detail::StreamImpl& stream, const ReduceArguments& arguments) {
    EmulatedReduction reduction{kernel,
                                size_of(type),
                                {arguments.sources.begin(), arguments.sources.end()},
                                {arguments.targets.begin(), arguments.targets.end()},
                                arguments.count,
                                arguments.divisor};
    return stream.launch([reduction = std::move(reduction)] { return reduction.run(); });
  };
}

DeviceReduceKernel plugin_kernel(rondo_reduce_kernel kernel) {
  return [kernel](detail::StreamImpl& stream, const ReduceArguments& arguments) {
    const rondo_reduction reduction{.size = sizeof(reduction),
                                    .sources = arguments.sources.data(),
                                    .source_count = arguments.sources.size(),
                                    .targets = arguments.targets.data(),
                                    .target_count = arguments.targets.size(),
                                    .count = arguments.count,
                                    .divisor = arguments.divisor};
    return static_cast<device::PluginStream&>(stream).reduce(kernel, reduction);
  };
}

}  // namespace

Result<DeviceReduceKernel> find_device_reduce_kernel(DeviceKind device, DataType type,
                                                     ReduceOp op) {
  if (device == DeviceKind::kEmulated) {
    RONDO_ASSIGN(const ReduceKernel kernel, find_reduce_kernel(DeviceKind::kHost, type, op));
    return emulated_kernel(kernel, type);
  }
  if (device == DeviceKind::kCuda) {
    if (auto kernel = cuda_reduce_kernel(type, op)) return kernel;
  }
  if (const device::PluginDriver* const plugin = device::plugin_driver(device)) {
    if (const auto kernel = plugin->reduce_kernel(to_string(type), to_string(op)))
      return plugin_kernel(kernel);
  }
  return Status(ErrorCode::kUnsupported,
                fmt::format("there is no reduce kernel for {} of {} on devices of kind {}",
                            to_string(op), to_string(type), to_string(device)));
}

bool device_always_reduces(DeviceKind device, DataType type, ReduceOp op, std::size_t sources,
                           std::size_t targets) {
  return device != DeviceKind::kCuda || cuda::always_launches(type, op, sources, targets);
}

}  // namespace rondo::kernels
