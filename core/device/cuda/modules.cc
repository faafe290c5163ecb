#include "core/device/cuda/modules.h"

#include "core/device/cuda/context.h"

namespace rondo::device {

Result<CUfunction> CudaModules::kernel(const CudaContext& context, const void* image,
                                       const char* name) {
  const std::lock_guard lock(mutex_);
  const CudaScope scope(context);
  RONDO_TRY(scope.status());
  RONDO_ASSIGN(const CUmodule loaded, module(context, image));
  const auto known = kernels_.find({loaded, name});
  if (known != kernels_.end()) return known->second;
  CUfunction found = nullptr;
  RONDO_TRY(context.check(std::string("cuModuleGetFunction(") + name + ")",
                          context.table().cuModuleGetFunction(&found, loaded, name)));
  kernels_[{loaded, name}] = found;
  return found;
}

Result<CUmodule> CudaModules::module(const CudaContext& context, const void* image) {
  const auto known = modules_.find(image);
  if (known != modules_.end()) return known->second;
  CUmodule loaded = nullptr;
  RONDO_TRY(context.check("cuModuleLoadData", context.table().cuModuleLoadData(&loaded, image)));
  modules_[image] = loaded;
  return loaded;
}

void CudaModules::unload(const CudaTable& table) {
  const std::lock_guard lock(mutex_);
  for (const auto& [image, loaded] : modules_) table.cuModuleUnload(loaded);
  modules_.clear();
  kernels_.clear();
}

}  // namespace rondo::device
