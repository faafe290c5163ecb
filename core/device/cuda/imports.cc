#include "core/device/cuda/imports.h"

#include <cstring>
#include <iterator>

namespace rondo::device {
namespace {

CUipcMemHandle native_handle(const SharedHandle& handle) {
  CUipcMemHandle native{};
  static_assert(sizeof(native) == sizeof(handle.opaque));
  std::memcpy(&native, handle.opaque.data(), sizeof(native));
  return native;
}

}  // namespace

Result<void*> CudaImports::open(const CudaContext& context, const SharedHandle& memory) {
  const std::lock_guard lock(mutex_);
  const Key key{context.device().index, {memory.process, memory.base}};
  auto known = mappings_.find(key);
  if (known != mappings_.end() && known->second.allocation != memory.allocation) {
    unmap(known->second);
    mappings_.erase(known);
    std::erase_if(opened_, [&](const auto& entry) { return entry.second == key; });
    known = mappings_.end();
  }
  if (known == mappings_.end()) {
    const CudaScope scope(context);
    RONDO_TRY(scope.status());
    CUdeviceptr base = 0;
    Status opened = context.check("cuIpcOpenMemHandle", context.table().cuIpcOpenMemHandle(
                                                            &base, native_handle(memory),
                                                            CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    if (!opened.ok()) {
      return Status(opened.code(), "opening " + describe(memory) + ": " + opened.message());
    }
    known = mappings_.emplace(key, Mapping{&context, base, memory.allocation, 0}).first;
  }
  ++known->second.uses;
  auto* const address = reinterpret_cast<std::byte*>(known->second.base) + memory.offset_bytes;
  opened_.emplace(address, key);
  return static_cast<void*>(address);
}

void CudaImports::close(void* pointer) {
  const std::lock_guard lock(mutex_);
  const auto opened = opened_.find(pointer);
  if (opened == opened_.end()) return;
  const auto mapping = mappings_.find(opened->second);
  opened_.erase(opened);
  if (--mapping->second.uses > 0) return;
  unmap(mapping->second);
  mappings_.erase(mapping);
}

void CudaImports::unmap(const Mapping& mapping) {
  const CudaScope scope(*mapping.context);
  mapping.context->table().cuIpcCloseMemHandle(mapping.base);
}

}  // namespace rondo::device
