#include "core/device/cuda/words.h"

#include <cstring>

namespace rondo::device {

Result<std::shared_ptr<void>> allocate_words(const std::shared_ptr<const CudaContext>& context,
                                             std::size_t bytes) {
  const CudaScope scope(*context);
  RONDO_TRY(scope.status());
  void* memory = nullptr;
  const unsigned int flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
  RONDO_TRY(
      context->check("cuMemHostAlloc", context->table().cuMemHostAlloc(&memory, bytes, flags)));
  std::memset(memory, 0, bytes);
  return std::shared_ptr<void>(memory, [context](void* words) {
    const CudaScope back(*context);
    context->table().cuMemFreeHost(words);
  });
}

}  // namespace rondo::device
