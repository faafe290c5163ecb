#include "core/device/cuda/stream.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/device/cuda/event.h"
#include "core/device/cuda/pointer.h"
#include "core/device/driver.h"
#include "core/device/patience.h"
#include "core/device/soft_event.h"

namespace rondo::device {

namespace {

/// What a stream that was given up may still look at.
void keep_for_good(std::shared_ptr<CudaGates> gates) {
  static std::mutex& mutex = *new std::mutex();
  static auto& kept = *new std::vector<std::shared_ptr<CudaGates>>();
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(gates));
}

}  // namespace

Result<std::shared_ptr<CudaStream>> CudaStream::make(std::shared_ptr<const CudaContext> context) {
  const CudaScope scope(*context);
  RONDO_TRY(scope.status());
  CUstream stream = nullptr;
  RONDO_TRY(context->check("cuStreamCreate", context->with_room([&] {
    return context->table().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  })));
  return std::make_shared<CudaStream>(std::move(context), stream);
}

CudaStream::CudaStream(std::shared_ptr<const CudaContext> context, CUstream stream, bool borrowed)
    : context_(std::move(context)),
      stream_(stream),
      borrowed_(borrowed ? handles_of(*context_, stream) : nullptr),
      health_(borrowed ? borrowed_->health : std::make_shared<Health>(context_->device())) {}

/// Not kept for good, as the gates are: another stream may come to have the same number, and who
/// lets go of all handles begins anew, unless the stream still stands still for what was put there
/// by one of them.
std::shared_ptr<const CudaStream::Handles> CudaStream::handles_of(const CudaContext& context,
                                                                  CUstream stream) {
  struct Known {
    std::weak_ptr<const Handles> handles;
    std::weak_ptr<Health> health;
  };
  static std::mutex& mutex = *new std::mutex();
  static auto& all = *new std::map<std::pair<const CudaContext*, CUstream>, Known>();
  const std::lock_guard lock(mutex);
  std::erase_if(all, [](const auto& each) { return each.second.health.expired(); });
  Known& known = all[{&context, stream}];
  if (auto handles = known.handles.lock()) return handles;
  auto health = known.health.lock();
  if (health == nullptr || !health->expects())
    known.health = health = std::make_shared<Health>(context.device());
  auto handles = std::make_shared<const Handles>(Handles{std::move(health)});
  known.handles = handles;
  return handles;
}

CudaStream::~CudaStream() {
  // Whatever comes of it was told to whoever synchronised; here nobody is left to be told.
  if (borrowed_ == nullptr) health_->fail(synchronize());
  if (gates_ != nullptr) {
    const Result<bool> done = reached();
    if (!done.ok() || !*done) keep_for_good(std::move(gates_));
  }
  if (borrowed_ != nullptr) return;
  const CudaScope scope(*context_);
  context_->table().cuStreamDestroy(stream_);
}

template <class Enqueue>
Status CudaStream::call(const char* function, const Enqueue& enqueue) {
  if (!health_->now().ok()) return {};
  const CudaScope scope(*context_);
  RONDO_TRY(scope.status());
  Status outcome = context_->check(function, enqueue());
  if (!outcome.ok()) health_->fail(outcome);
  return outcome;
}

Status CudaStream::copy(void* target, const void* source, std::size_t bytes) {
  if (bytes == 0) return {};
  if (health_->expects()) RONDO_TRY(wait_if_pageable(target, source));
  return call("cuMemcpyAsync", [&] {
    return context_->table().cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(target),
                                           reinterpret_cast<CUdeviceptr>(source), bytes, stream_);
  });
}

/// The driver itself copies memory that isn't page-locked, and keeps the context's lock until the
/// stream has come so far: for ever, where the stream stands still for a call that other threads
/// make by the same driver, or waits for one that does. Seen so on an H200.
Status CudaStream::wait_if_pageable(const void* target, const void* source) const {
  RONDO_ASSIGN(const CudaPointer to, look_up(context_->table(), target));
  RONDO_ASSIGN(const CudaPointer from, look_up(context_->table(), source));
  if (to.known && from.known) return {};
  Patience patience;
  while (health_->expects() && health_->now().ok()) patience.wait();
  return {};
}

Status CudaStream::launch(std::function<Status()> /*kernel*/) {
  return Status(ErrorCode::kUnsupported,
                fmt::format("{} runs kernels that were compiled for it alone", name_of(device())));
}

Status CudaStream::launch_kernel(CUfunction kernel, CudaGrid grid, void** arguments) {
  return call("cuLaunchKernel", [&] {
    return context_->table().cuLaunchKernel(kernel, grid.blocks, 1, 1, grid.threads, 1, 1, 0,
                                            stream_, arguments, nullptr);
  });
}

Status CudaStream::record(detail::EventImpl& event) {
  auto* const own = dynamic_cast<CudaEvent*>(&event);
  if (own == nullptr) {
    return Status(
        ErrorCode::kInvalidArgument,
        "only an event of a CUDA device can be recorded in a stream of " + name_of(device()));
  }
  const bool had_failed = !health_->now().ok();
  Status outcome;
  // Behind a failure, too: what came before that may still be under way.
  if (!health_->abandoned.load(std::memory_order_relaxed)) {
    const CudaScope scope(*context_);
    RONDO_TRY(scope.status());
    outcome = context_->check("cuEventRecord",
                              context_->table().cuEventRecord(own->native_event(), stream_));
    health_->fail(outcome);
  }
  own->recorded_behind(health_);
  return had_failed ? Status() : outcome;
}

Status CudaStream::wait(const detail::EventImpl& event) {
  if (const auto* const own = dynamic_cast<const CudaEvent*>(&event.native())) {
    RONDO_TRY(call("cuStreamWaitEvent", [&] {
      return context_->table().cuStreamWaitEvent(stream_, own->native_event(),
                                                 CU_EVENT_WAIT_DEFAULT);
    }));
    own->followed_by(health_);
    return {};
  }
  if (const auto* const soft = dynamic_cast<const SoftEvent*>(&event.native())) return hold(*soft);
  Status outcome = event.waiter()(health_->abandoned);
  if (!outcome.ok()) health_->fail(stream_error(device(), outcome));
  return outcome;
}

Status CudaStream::hold(const SoftEvent& event) {
  if (!health_->now().ok()) return {};
  if (gates_ == nullptr && borrowed_ != nullptr) {
    RONDO_ASSIGN(gates_, CudaGates::of_borrowed(context_, stream_));
  } else if (gates_ == nullptr) {
    RONDO_ASSIGN(gates_, CudaGates::make(context_));
  }
  RONDO_ASSIGN(const std::uint32_t gate, gates_->close(stream_));
  event.when_reached(
      [health = health_, gates = gates_, gate, place = health_->expect()](const Status& outcome) {
        // A failure is known before the stream goes on, and nothing is expected any more behind.
        if (!outcome.ok()) health->settle(place, outcome);
        gates->open(gate);
        if (outcome.ok()) health->settle(place, outcome);
      });
  return {};
}

void CudaStream::abandon(const Status& cause) {
  health_->fail(cause);
  if (health_->abandoned.exchange(true, std::memory_order_relaxed)) return;
  const auto end = CudaEvent::make(context_, CudaEvent::Seen::kByThisProcess);
  if (!end.ok()) return;
  const CudaScope scope(*context_);
  const bool is_recorded =
      scope.status().ok() &&
      context_->table().cuEventRecord((*end)->native_event(), stream_) == CUDA_SUCCESS;
  if (is_recorded) context_->hold_until([event = *end] { return event->done(); });
}

bool CudaStream::is_capturing() const {
  const CudaScope scope(*context_);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return scope.status().ok() &&
         context_->table().cuStreamIsCapturing(stream_, &status) == CUDA_SUCCESS &&
         status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

Result<bool> CudaStream::reached() const {
  const CudaScope scope(*context_);
  RONDO_TRY(scope.status());
  const CUresult code = context_->table().cuStreamQuery(stream_);
  if (code == CUDA_ERROR_NOT_READY) return false;
  RONDO_TRY(context_->check("cuStreamQuery", code));
  return true;
}

/// One that can't be asked won't say later either.
bool CudaStream::idle() const {
  const Result<bool> done = reached();
  return !done.ok() || *done;
}

Status CudaStream::synchronize() {
  Patience patience;
  for (;;) {
    RONDO_ASSIGN(const bool done, reached());
    if (done || health_->abandoned.load(std::memory_order_relaxed)) return health_->now();
    patience.wait();
  }
}

}  // namespace rondo::device
