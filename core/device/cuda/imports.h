#pragma once

// Memory of other processes, as CUDA devices of this one see it. The driver maps whole allocations
// and counts how often; where an allocation has been freed and another one lies at its address, the
// old mapping has to go before the new one can come, or the old bytes are read.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "core/device/cuda/context.h"
#include "core/device/shared_handle.h"
#include "core/status.h"

namespace rondo::device {

/// Threads: any.
class CudaImports {
 public:
  using Key = std::pair<int, std::pair<std::int32_t, std::uint64_t>>;  ///< device, process, base

  /// The handle has been checked. Errors: Device (among them: it `waits`).
  Result<void*> open(const CudaContext& context, const SharedHandle& memory);
  /// Nothing for an address that isn't open.
  void close(void* pointer);
  /// Whether what lay there before that allocation is still open, as its closing, begun by now, is
  /// put off.
  bool waits(const Key& key, std::uint64_t allocation);
  /// Whether the closing of anything is put off.
  bool closes_later();

 private:
  struct Mapping {
    const CudaContext& context;
    CUdeviceptr base;
    std::uint64_t allocation;
    int uses = 0;
    bool gone = false;  ///< closed before its time, since its memory was
  };
  Result<std::shared_ptr<Mapping>> mapping(const CudaContext& context, const SharedHandle& memory);
  void unmap(const Key& key, Mapping& mapping);
  bool closes(const Key& key, std::uint64_t allocation);
  void forget_told();

  /// What the driver may be told later (CudaContext::give_back), and is told only once.
  struct Closing {
    CUdeviceptr base = 0;
    std::shared_ptr<std::atomic_flag> is_told = std::make_shared<std::atomic_flag>();
    void tell(const CudaTable& table) const {
      if (!is_told->test_and_set()) table.cuIpcCloseMemHandle(base);
    }
  };

  std::mutex mutex_;
  std::multimap<Key, Closing> closing_;
  std::map<Key, std::shared_ptr<Mapping>> mappings_;
  /// What was handed out -> of which mapping. An address may have been that of several, one after
  /// the other: those that are gone stay until their holders close them, too.
  std::multimap<const void*, std::pair<Key, std::shared_ptr<Mapping>>> opened_;
};

}  // namespace rondo::device
