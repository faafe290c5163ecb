#include "core/device/cuda/gate.h"

#include <map>
#include <utility>

#include "core/device/cuda/words.h"

namespace rondo::device {

Result<std::shared_ptr<CudaGates>> CudaGates::make(std::shared_ptr<const CudaContext> context) {
  RONDO_ASSIGN(auto word, allocate_words(context, sizeof(std::uint32_t)));
  return std::make_shared<CudaGates>(std::move(context), std::move(word));
}

Result<std::shared_ptr<CudaGates>> CudaGates::of_borrowed(
    std::shared_ptr<const CudaContext> context, CUstream stream) {
  static std::mutex& mutex = *new std::mutex();
  static auto& all =
      *new std::map<std::pair<const CudaContext*, CUstream>, std::shared_ptr<CudaGates>>();
  const std::lock_guard lock(mutex);
  auto& gates = all[{context.get(), stream}];
  if (gates == nullptr) {
    RONDO_ASSIGN(gates, make(std::move(context)));
  }
  return gates;
}

Result<std::uint32_t> CudaGates::close(CUstream stream) {
  const std::lock_guard lock(mutex_);
  const CudaScope scope(*context_);
  RONDO_TRY(scope.status());
  if (hold_ == nullptr) hold_ = context_->hold();
  // Addresses are the same for host and device; the comparison goes on past the highest number.
  Status status = context_->check(
      "cuStreamWaitValue32",
      context_->table().cuStreamWaitValue32(stream, reinterpret_cast<CUdeviceptr>(word_.get()),
                                            closed_ + 1, CU_STREAM_WAIT_VALUE_GEQ));
  if (status.ok()) return ++closed_;
  if (passed_ == closed_) hold_.reset();
  return status;
}

void CudaGates::open(std::uint32_t gate) {
  const std::lock_guard lock(mutex_);
  open_.insert(gate);
  while (open_.erase(passed_ + 1) != 0) ++passed_;
  std::atomic_ref(*static_cast<std::uint32_t*>(word_.get()))
      .store(passed_, std::memory_order_release);
  if (passed_ == closed_) hold_.reset();
}

}  // namespace rondo::device
