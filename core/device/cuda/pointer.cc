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
  std::array attributes = {
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE,      CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
      CU_POINTER_ATTRIBUTE_IS_MANAGED,       CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
      CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
      CU_POINTER_ATTRIBUTE_BUFFER_ID};
  std::array<void*, attributes.size()> values = {&type, &can_be_shared, &managed,   &index,
                                                 &base, &bytes,         &allocation};
  // Of an address that it doesn't know the driver says nothing, and that is no error.
  RONDO_TRY(cuda_status(
      table, "cuPointerGetAttributes",
      table.cuPointerGetAttributes(static_cast<unsigned int>(attributes.size()), attributes.data(),
                                   values.data(), reinterpret_cast<CUdeviceptr>(pointer))));
  return CudaPointer{.known = type != 0,
                     .on_device = type == CU_MEMORYTYPE_DEVICE,
                     .managed = managed != 0,
                     .can_be_shared = can_be_shared != 0 && managed == 0,
                     .index = index,
                     .base = base,
                     .bytes = bytes,
                     .allocation = allocation};
}

}  // namespace rondo::device
