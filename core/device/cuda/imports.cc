#include "core/device/cuda/imports.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

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
  RONDO_ASSIGN(const std::shared_ptr<Mapping> own, mapping(context, memory));
  ++own->uses;
  auto* const address = reinterpret_cast<std::byte*>(own->base) + memory.offset_bytes;
  const Key key{context.device().index, {memory.process, memory.base}};
  opened_.emplace(address, std::pair(key, own));
  return static_cast<void*>(address);
}

Result<std::shared_ptr<CudaImports::Mapping>> CudaImports::mapping(const CudaContext& context,
                                                                   const SharedHandle& memory) {
  const Key key{context.device().index, {memory.process, memory.base}};
  if (closes(key, memory.allocation)) {
    return Status(
        ErrorCode::kDevice,
        fmt::format("opening {}: what lay there before is still open, while a stream or a "
                    "kernel of this process waits for a call",
                    describe(memory)));
  }
  if (const auto known = mappings_.find(key); known != mappings_.end()) return known->second;
  const CudaScope scope(context);
  RONDO_TRY(scope.status());
  CUdeviceptr base = 0;
  const Status opened = context.check(
      "cuIpcOpenMemHandle", context.table().cuIpcOpenMemHandle(&base, native_handle(memory),
                                                               CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  if (!opened.ok())
    return Status(opened.code(), "opening " + describe(memory) + ": " + opened.message());
  const auto made = std::make_shared<Mapping>(Mapping{context, base, memory.allocation});
  mappings_[key] = made;
  return made;
}

void CudaImports::close(void* pointer) {
  const std::lock_guard lock(mutex_);
  // The first that was opened there: one that is gone, if there is any.
  const auto opened = opened_.lower_bound(pointer);
  if (opened == opened_.end() || opened->first != pointer) return;
  const auto [key, mapping] = opened->second;
  opened_.erase(opened);
  if (--mapping->uses > 0 || mapping->gone) return;
  unmap(key, *mapping);
  mappings_.erase(key);
}

void CudaImports::unmap(const Key& key, Mapping& mapping) {
  mapping.gone = true;
  const Closing closing{mapping.base};
  mapping.context.give_back([closing](const CudaTable& table) { closing.tell(table); });
  if (!closing.is_told->test()) closing_.emplace(key, closing);
}

bool CudaImports::waits(const Key& key, std::uint64_t allocation) {
  const std::lock_guard lock(mutex_);
  return closes(key, allocation);
}

bool CudaImports::closes_later() {
  const std::lock_guard lock(mutex_);
  forget_told();
  return !closing_.empty();
}

void CudaImports::forget_told() {
  std::erase_if(closing_, [](const auto& closing) { return closing.second.is_told->test(); });
}

/// The next one there has to wait for that; but the driver, told now, would wait for a stream that
/// stands still at a gate, and it may be the caller who opens it.
bool CudaImports::closes(const Key& key, std::uint64_t allocation) {
  const auto known = mappings_.find(key);
  if (known != mappings_.end() && known->second->allocation != allocation) {
    unmap(key, *known->second);
    mappings_.erase(known);
  }
  forget_told();
  return closing_.contains(key);
}

}  // namespace rondo::device
