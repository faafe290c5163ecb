#include "core/device/cuda/gate.h"

namespace rondo::device {

Result<std::shared_ptr<CudaGates>> CudaGates::make(std::shared_ptr<const CudaContext> context) {
  auto made = std::make_shared<CudaGates>(context);
  const CudaScope scope(*context);
  RONDO_TRY(scope.status());
  void* memory = nullptr;
  RONDO_TRY(context->check(
      "cuMemHostAlloc",
      context->table().cuMemHostAlloc(&memory, sizeof(std::uint32_t),
                                      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP)));
  made->word_ = static_cast<std::uint32_t*>(memory);
  *made->word_ = 0;
  return made;
}

CudaGates::~CudaGates() {
  const CudaScope scope(*context_);
  if (word_ != nullptr) context_->table().cuMemFreeHost(word_);
}

Result<std::uint32_t> CudaGates::close(CUstream stream) {
  const std::lock_guard lock(mutex_);
  const CudaScope scope(*context_);
  RONDO_TRY(scope.status());
  // Addresses are the same for host and device; the comparison goes on past the highest number.
  RONDO_TRY(context_->check("cuStreamWaitValue32", context_->table().cuStreamWaitValue32(
                                                       stream, reinterpret_cast<CUdeviceptr>(word_),
                                                       closed_ + 1, CU_STREAM_WAIT_VALUE_GEQ)));
  return ++closed_;
}

void CudaGates::open(std::uint32_t gate) {
  const std::lock_guard lock(mutex_);
  open_.insert(gate);
  while (open_.erase(passed_ + 1) != 0) ++passed_;
  std::atomic_ref(*word_).store(passed_, std::memory_order_release);
}

}  // namespace rondo::device
