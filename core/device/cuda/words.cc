#include "core/device/cuda/words.h"

#include <fmt/format.h>

#include <cstring>

namespace rondo::device {

Result<std::shared_ptr<void>> allocate_words(const std::shared_ptr<const CudaContext>& context,
                                             std::size_t bytes) {
  const CudaScope scope(*context);
  RONDO_TRY(scope.status());
  void* memory = nullptr;
  const unsigned int flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
  const Status made =
      context->check("cuMemHostAlloc", context->table().cuMemHostAlloc(&memory, bytes, flags));
  if (!made.ok()) {
    return Status(
        made.code(),
        fmt::format("{} bytes of page-locked memory of the host, which may be short of it "
                    "(free -m, the container's limit): {}",
                    bytes, made.message()));
  }
  std::memset(memory, 0, bytes);
  return std::shared_ptr<void>(memory, [context](void* words) {
    context->give_back([words](const CudaTable& table) { table.cuMemFreeHost(words); });
  });
}

}  // namespace rondo::device
