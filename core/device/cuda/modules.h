#pragma once

// Compiled kernels, loaded into one CUDA device when they are first asked for.
// Threads: any.

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "core/device/cuda/table.h"
#include "core/status.h"

namespace rondo::device {

class CudaContext;

class CudaModules {
 public:
  /// `image`: what nvcc made (a fat binary), which stays as it is.
  /// Errors: Device (nothing in it is for this device, or it has no such kernel).
  Result<CUfunction> kernel(const CudaContext& context, const void* image, const char* name);

  /// At the context's end.
  void unload(const CudaTable& table);

 private:
  Result<CUmodule> module(const CudaContext& context, const void* image);

  std::mutex mutex_;
  std::map<const void*, CUmodule> modules_;
  std::map<std::pair<CUmodule, std::string>, CUfunction> kernels_;
};

}  // namespace rondo::device
