#pragma once

// Memory of other processes, as CUDA devices of this one see it. The driver maps whole allocations
// and counts how often; where an allocation has been freed and another one lies at its address, the
// old mapping has to go before the new one can come, or the old bytes are read.

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "core/device/cuda/context.h"
#include "core/device/shared_handle.h"
#include "core/status.h"

namespace rondo::device {

/// Threads: any.
class CudaImports {
 public:
  /// The handle has been checked. Errors: Device.
  Result<void*> open(const CudaContext& context, const SharedHandle& memory);
  /// Nothing for an address that isn't open.
  void close(void* pointer);

 private:
  using Key = std::pair<int, std::pair<std::int32_t, std::uint64_t>>;  ///< device, process, base
  struct Mapping {
    const CudaContext* context = nullptr;
    CUdeviceptr base = 0;
    std::uint64_t allocation = 0;
    int uses = 0;
  };
  void unmap(const Mapping& mapping);

  std::mutex mutex_;
  std::map<Key, Mapping> mappings_;
  std::multimap<const void*, Key> opened_;  ///< what was handed out -> in which mapping
};

}  // namespace rondo::device
