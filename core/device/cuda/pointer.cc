#include "core/device/cuda/pointer.h"

#include <array>

#include "core/device/cuda/status.h"

namespace rondo::device {

Result<CudaPointer> look_up(const CudaTable& table, const void* pointer) {
  unsigned int type = 0;
  unsigned int can_be_shared = 0;
  unsigned int managed = 0;
  int index = 0;
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  unsigned long long allocation = 0;
  CUmemoryPool pool = nullptr;
  std::array attributes = {
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE,      CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
      CU_POINTER_ATTRIBUTE_IS_MANAGED,       CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
      CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
      CU_POINTER_ATTRIBUTE_BUFFER_ID,        CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE};
  std::array<void*, attributes.size()> values = {&type, &can_be_shared, &managed,    &index,
                                                 &base, &bytes,         &allocation, &pool};
  // Of an address that it doesn't know the driver says nothing, and that is no error.
  RONDO_TRY(cuda_status(
      table, "cuPointerGetAttributes",
      table.cuPointerGetAttributes(static_cast<unsigned int>(attributes.size()), attributes.data(),
                                   values.data(), reinterpret_cast<CUdeviceptr>(pointer))));
  const bool on_device = type == CU_MEMORYTYPE_DEVICE;
  const bool is_shared = can_be_shared != 0 || managed != 0;
  return CudaPointer{.known = type != 0,
                     .on_device = on_device,
                     .managed = managed != 0,
                     .can_be_shared = can_be_shared != 0 && managed == 0,
                     .is_pooled = pool != nullptr,
                     .is_mapped = on_device && !is_shared && pool == nullptr,
                     .index = index,
                     .base = base,
                     .bytes = bytes,
                     .allocation = allocation};
}

Result<std::uint64_t> end_of(const CudaTable& table, const CudaPointer& found,
                             std::uint64_t until) {
  constexpr int kMostPieces = 1 << 16;  // 128 GiB of the smallest, of 2 MiB
  std::uint64_t end = found.base + found.bytes;
  for (int pieces = 1; found.is_mapped && end < until && pieces < kMostPieces; ++pieces) {
    RONDO_ASSIGN(const CudaPointer next, look_up(table, reinterpret_cast<const void*>(end)));
    const std::uint64_t next_end = next.base + next.bytes;
    if (!next.is_mapped || next.index != found.index || next_end <= end) break;
    end = next_end;
  }
  return end;
}

Result<bool> may_use(const CudaContext& context, const void* pointer) {
  unsigned int flags = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE;
  std::array attributes = {CU_POINTER_ATTRIBUTE_ACCESS_FLAGS};
  std::array<void*, attributes.size()> values = {&flags};
  const CudaScope scope(context);
  RONDO_TRY(scope.status());
  RONDO_TRY(context.check("cuPointerGetAttributes",
                          context.table().cuPointerGetAttributes(
                              static_cast<unsigned int>(attributes.size()), attributes.data(),
                              values.data(), reinterpret_cast<CUdeviceptr>(pointer))));
  return flags == CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
}

}  // namespace rondo::device
