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
  opened_.emplace(address, std::pair(key_of(context.device().index, memory), own));
  return static_cast<void*>(address);
}

Result<std::shared_ptr<CudaImports::Mapping>> CudaImports::mapping(const CudaContext& context,
                                                                   const SharedHandle& memory) {
  const Key key = key_of(context.device().index, memory);
  if (closes(key, Memory(memory))) {
    return Status(
        ErrorCode::kDevice,
        fmt::format("opening {}: what lay there before is still open, while a stream or a "
                    "kernel of this process waits for a call",
                    describe(memory)));
  }
  if (const auto known = mappings_.find(key); known != mappings_.end()) return known->second;
  if (auto back = taken_back(key, Memory(memory))) return mappings_[key] = std::move(back);
  const CudaScope scope(context);
  RONDO_TRY(scope.status());
  CUdeviceptr base = 0;
  const Status opened = context.check(
      "cuIpcOpenMemHandle", context.table().cuIpcOpenMemHandle(&base, native_handle(memory),
                                                               CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  if (!opened.ok())
    return Status(opened.code(), "opening " + describe(memory) + ": " + opened.message());
  const auto made = std::make_shared<Mapping>(Mapping{context, base, Memory(memory)});
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
  unmap(key, mapping);
  mappings_.erase(key);
}

void CudaImports::unmap(const Key& key, const std::shared_ptr<Mapping>& mapping) {
  mapping->gone = true;
  const Closing closing{mapping};
  mapping->context.give_back([closing](const CudaTable& table) { closing.tell(table); });
  if (!closing.is_over()) closing_.insert_or_assign(key, closing);
}

bool CudaImports::waits(int index, const SharedHandle& memory) {
  const std::lock_guard lock(mutex_);
  return closes(key_of(index, memory), Memory(memory));
}

bool CudaImports::closes_later() {
  const std::lock_guard lock(mutex_);
  forget_told();
  return !closing_.empty();
}

void CudaImports::forget_told() {
  std::erase_if(closing_, [](const auto& closing) { return closing.second.is_over(); });
}

/// The next one there has to wait for that; but the driver, told now, would wait for a stream that
/// stands still at a gate, and it may be the caller who opens it. Memory that is wanted again
/// before the driver has been told waits for nothing: it may have been let go by one communicator,
/// and be the buffer of another one's calls.
bool CudaImports::closes(const Key& key, const Memory& memory) {
  const auto known = mappings_.find(key);
  if (known != mappings_.end() && known->second->memory != memory) {
    unmap(key, known->second);
    mappings_.erase(known);
  }
  forget_told();
  const auto closing = closing_.find(key);
  if (closing == closing_.end()) return false;
  const bool is_put_off = closing->second.state->load() == Closing::State::kPutOff;
  return !is_put_off || closing->second.mapping->memory != memory;
}

/// Null where it isn't there any more.
std::shared_ptr<CudaImports::Mapping> CudaImports::taken_back(const Key& key,
                                                              const Memory& memory) {
  const auto closing = closing_.find(key);
  if (closing == closing_.end()) return nullptr;
  const auto mapping = closing->second.mapping;
  if (mapping->memory != memory || !closing->second.take_back()) return nullptr;
  closing_.erase(closing);
  // Those who held it when it was closed before its time hold it no more.
  return std::make_shared<Mapping>(Mapping{mapping->context, mapping->base, mapping->memory});
}

}  // namespace rondo::device
