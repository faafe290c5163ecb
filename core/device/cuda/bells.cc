#include "core/device/cuda/bells.h"

#include <algorithm>
#include <utility>

#include "core/device/cuda/context.h"

namespace rondo::device {

Status CudaBells::ring_behind(const CudaContext& context, CUevent event,
                              const std::shared_ptr<Bell>& bell) {
  const std::lock_guard lock(mutex_);
  const CudaTable& table = context.table();
  RONDO_ASSIGN(Ringer * ringer, idle_ringer(context));
  RONDO_TRY(context.check("cuStreamWaitEvent",
                          table.cuStreamWaitEvent(ringer->stream, event, CU_EVENT_WAIT_DEFAULT)));
  ringer->bell = bell;
  ringer->use.store(Use::kBusy, std::memory_order_relaxed);
  Status status = context.check("cuLaunchHostFunc",
                                table.cuLaunchHostFunc(ringer->stream, &CudaBells::ring, ringer));
  if (!status.ok()) ringer->use.store(Use::kIdle, std::memory_order_relaxed);
  return status;
}

Result<CudaBells::Ringer*> CudaBells::idle_ringer(const CudaContext& context) {
  const auto idle = std::ranges::find_if(ringers_, [](const auto& ringer) {
    return ringer->use.load(std::memory_order_acquire) == Use::kIdle;
  });
  if (idle != ringers_.end()) return idle->get();
  drop_failed(context.table());
  auto made = std::make_unique<Ringer>();
  RONDO_TRY(context.check("cuStreamCreate",
                          context.table().cuStreamCreate(&made->stream, CU_STREAM_NON_BLOCKING)));
  ringers_.push_back(std::move(made));
  return ringers_.back().get();
}

/// The driver calls nothing behind an event that came with an error.
void CudaBells::drop_failed(const CudaTable& table) {
  std::erase_if(ringers_, [&table](const auto& ringer) {
    const CUresult code = table.cuStreamQuery(ringer->stream);
    if (code == CUDA_SUCCESS || code == CUDA_ERROR_NOT_READY) return false;
    table.cuStreamDestroy(ringer->stream);
    return true;
  });
}

/// By the driver's thread, which may call nothing of the driver's.
void CudaBells::ring(void* ringer) {
  auto* const own = static_cast<Ringer*>(ringer);
  if (const auto bell = std::exchange(own->bell, {}).lock()) bell->ring();
  if (own->use.exchange(Use::kIdle, std::memory_order_acq_rel) == Use::kLeft) delete own;
}

void CudaBells::close(const CudaTable& table) {
  drop_failed(table);
  for (auto& ringer : ringers_) {
    table.cuStreamDestroy(ringer->stream);
    // What its event has yet to reach rings all the same, and has it then for itself.
    Ringer* const own = ringer.release();
    if (own->use.exchange(Use::kLeft, std::memory_order_acq_rel) == Use::kIdle) delete own;
  }
  ringers_.clear();
}

}  // namespace rondo::device
