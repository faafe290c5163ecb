#include "core/device/cuda/event.h"

#include <utility>

#include "core/device/patience.h"
#include "core/device/soft_event.h"

namespace rondo::device {

Result<std::shared_ptr<CudaEvent>> CudaEvent::make(std::shared_ptr<const CudaContext> context,
                                                   Seen seen) {
  const CudaScope scope(*context);
  RONDO_TRY(scope.status());
  unsigned int flags = CU_EVENT_DISABLE_TIMING;
  if (seen == Seen::kByOthers) flags |= CU_EVENT_INTERPROCESS;
  CUevent event = nullptr;
  RONDO_TRY(context->check("cuEventCreate", context->with_room([&] {
    return context->table().cuEventCreate(&event, flags);
  })));
  return std::make_shared<CudaEvent>(std::move(context), event);
}

CudaEvent::CudaEvent(std::shared_ptr<const CudaContext> context, CUevent event)
    : owned_(std::make_shared<Owned>(std::move(context), event)) {}

CudaEvent::Owned::~Owned() {
  const CudaScope scope(*context);
  context->table().cuEventDestroy(event);
}

Result<bool> CudaEvent::Owned::reached() const {
  const CudaScope scope(*context);
  RONDO_TRY(scope.status());
  const CUresult code = context->table().cuEventQuery(event);
  if (code == CUDA_ERROR_NOT_READY) return false;
  RONDO_TRY(context->check("cuEventQuery", code));
  return true;
}

bool CudaEvent::done() const {
  const Result<bool> is = reached();
  return !is.ok() || *is;
}

Status CudaEvent::ring_when_reached(const std::shared_ptr<Bell>& bell) const {
  return owned_->context->ring_behind(owned_->event, bell);
}

detail::EventWaiter CudaEvent::waiter() const {
  return [owned = owned_](const detail::Abandoned& abandoned) -> Status {
    Patience patience;
    for (;;) {
      RONDO_ASSIGN(const bool reached, owned->reached());
      if (reached) return owned->record.failure();
      if (abandoned.load(std::memory_order_relaxed)) return given_up();
      patience.wait();
    }
  };
}

}  // namespace rondo::device
