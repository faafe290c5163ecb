// Memory, and that of other processes.

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "fake.h"

using fake_cuda::current;
using fake_cuda::is_forbidden;
using fake_cuda::state;

namespace {

using rondo::device::SharedHandle;
using rondo::device::SharedKind;

/// What of an emulated device's handle has to travel in the 64 bytes of one of the driver's.
struct Packed {
  std::uint64_t host;
  std::uint64_t offset_bytes;
  std::uint64_t bytes;
  std::byte opaque[24];
  std::int32_t process;
  std::int16_t index;
};

template <class Native>
Native pack(const SharedHandle& handle) {
  Packed packed{.host = handle.host,
                .offset_bytes = handle.offset_bytes,
                .bytes = handle.bytes,
                .opaque = {},
                .process = handle.process,
                .index = handle.index};
  std::memcpy(packed.opaque, handle.opaque.data(), sizeof(packed.opaque));
  Native native{};
  static_assert(sizeof(packed) <= sizeof(native));
  std::memcpy(&native, &packed, sizeof(packed));
  return native;
}

template <class Native>
SharedHandle unpack(const Native& native, SharedKind what) {
  Packed packed;
  std::memcpy(&packed, &native, sizeof(packed));
  SharedHandle handle;
  handle.host = packed.host;
  handle.process = packed.process;
  handle.index = packed.index;
  handle.kind = rondo::DeviceKind::kEmulated;
  handle.what = what;
  handle.offset_bytes = packed.offset_bytes;
  handle.bytes = packed.bytes;
  std::memcpy(handle.opaque.data(), packed.opaque, sizeof(packed.opaque));
  return handle;
}

void remember(std::uint64_t address, fake_cuda::Allocation allocation) {
  const std::lock_guard lock(state().mutex);
  allocation.number = ++state().allocated;
  state().allocations[address] = allocation;
  ++state().live;
}

bool forget(std::uint64_t address) {
  const std::lock_guard lock(state().mutex);
  if (state().allocations.erase(address) == 0) return false;
  --state().live;
  return true;
}

unsigned int type_of(const fake_cuda::Allocation& found) {
  if (found.bytes == 0) return 0;
  return found.on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

void answer(CUpointer_attribute attribute, void* value, const fake_cuda::Allocation& found,
            std::uint64_t base) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned int*>(value) = type_of(found);
      break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      *static_cast<unsigned int*>(value) = !found.on_host && !found.is_opened;
      break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *static_cast<unsigned int*>(value) = 0; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *static_cast<int*>(value) = found.device; break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *static_cast<CUdeviceptr*>(value) = base; break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *static_cast<std::size_t*>(value) = found.bytes; break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      *static_cast<unsigned long long*>(value) = found.number;
      break;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: *static_cast<CUmemoryPool*>(value) = nullptr; break;
    default: std::abort();
  }
}

/// What that address lies in, and where that begins: nothing where it is the host's. With the
/// mutex.
std::pair<fake_cuda::Allocation, std::uint64_t> find(CUdeviceptr pointer) {
  auto after = state().allocations.upper_bound(pointer);
  if (after != state().allocations.begin()) {
    --after;
    if (pointer - after->first < after->second.bytes) return {after->second, after->first};
  }
  for (const auto& [key, opened] : state().opened) {
    const bool is_in = pointer >= opened.address && pointer - opened.address < opened.bytes;
    if (is_in)
      return {{.bytes = opened.bytes, .device = key.first, .is_opened = true}, opened.address};
  }
  return {};
}

}  // namespace

bool fake_cuda::is_pageable(CUdeviceptr address) {
  const std::lock_guard lock(state().mutex);
  return find(address).first.bytes == 0;
}

void fake_cuda::give_back(std::function<void()> action) {
  state().given_back.push_back(std::move(action));
  give_back_all();
}

void fake_cuda::give_back_all() {
  if (state().left_behind != 0) return;
  for (const auto& action : state().given_back) action();
  state().given_back.clear();
}

extern "C" {

CUresult cuMemAlloc(CUdeviceptr* memory, std::size_t bytes) {
  if (is_forbidden()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  const auto made = state().driver->allocate(current()->device, bytes);
  if (!made.ok()) return CUDA_ERROR_OUT_OF_MEMORY;
  *memory = reinterpret_cast<CUdeviceptr>(*made);
  remember(*memory, {.bytes = bytes, .device = current()->device});
  return CUDA_SUCCESS;
}

CUresult cuMemFree(CUdeviceptr memory) {
  if (is_forbidden()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (!forget(memory)) return CUDA_ERROR_INVALID_VALUE;
  fake_cuda::wait_for_all_streams();
  state().driver->free(reinterpret_cast<void*>(memory));
  return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned int /*flags*/) {
  if (is_forbidden()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  // It is the host's; that of a device says whether this one fails.
  if (!state().driver->allocate_words(0, bytes).ok()) return CUDA_ERROR_OUT_OF_MEMORY;
  *memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  remember(reinterpret_cast<std::uint64_t>(*memory), {.bytes = bytes, .on_host = true});
  return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void* memory) {
  if (is_forbidden()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (!forget(reinterpret_cast<std::uint64_t>(memory))) return CUDA_ERROR_INVALID_VALUE;
  fake_cuda::wait_for_all_streams();
  const std::lock_guard lock(state().mutex);
  fake_cuda::give_back([memory] { std::free(memory); });
  return CUDA_SUCCESS;
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr pointer) {
  const std::lock_guard lock(state().mutex);
  const auto [found, base] = find(pointer);
  for (unsigned int i = 0; i < count; ++i) answer(attributes[i], values[i], found, base);
  return CUDA_SUCCESS;
}

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr memory) {
  const auto exported = state().driver->export_memory(reinterpret_cast<const void*>(memory));
  if (!exported.ok()) return CUDA_ERROR_INVALID_VALUE;
  *handle = pack<CUipcMemHandle>(*exported);
  return CUDA_SUCCESS;
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* memory, CUipcMemHandle handle, unsigned int /*flags*/) {
  if (is_forbidden()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const SharedHandle shared = unpack(handle, SharedKind::kMemory);
  if (shared.process == ::getpid() || current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (!fake_cuda::reaches(current()->device, shared.index))
    return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  const std::lock_guard lock(state().mutex);
  const std::string bytes(reinterpret_cast<const char*>(&handle), sizeof(handle));
  auto& opened = state().opened[{current()->device, bytes}];
  if (opened.uses == 0) {
    const auto mapped = state().driver->import_memory(current()->device, shared);
    if (!mapped.ok()) {
      state().opened.erase({current()->device, bytes});
      return CUDA_ERROR_MAP_FAILED;
    }
    opened.address = reinterpret_cast<CUdeviceptr>(*mapped);
    opened.bytes = shared.bytes;
  }
  ++opened.uses;
  ++state().live;
  *memory = opened.address;
  return CUDA_SUCCESS;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr memory) {
  if (is_forbidden()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  fake_cuda::wait_for_all_streams();
  const std::lock_guard lock(state().mutex);
  for (auto it = state().opened.begin(); it != state().opened.end(); ++it) {
    if (it->second.address != memory) continue;
    --state().live;
    if (--it->second.uses != 0) return CUDA_SUCCESS;
    state().opened.erase(it);
    fake_cuda::give_back(
        [memory] { state().driver->release_imported(reinterpret_cast<void*>(memory)); });
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event) {
  if (!event->is_shared) return CUDA_ERROR_INVALID_HANDLE;
  const auto exported = state().driver->export_event(*event->event);
  if (!exported.ok()) return CUDA_ERROR_INVALID_HANDLE;
  *handle = pack<CUipcEventHandle>(*exported);
  return CUDA_SUCCESS;
}

CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle handle) {
  if (is_forbidden()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (current() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  auto opened = state().driver->import_event(current()->device, unpack(handle, SharedKind::kEvent));
  if (!opened.ok()) return CUDA_ERROR_MAP_FAILED;
  *event = new CUevent_st{.event = std::move(opened).value()};
  ++state().live;
  return CUDA_SUCCESS;
}

}  // extern "C"
