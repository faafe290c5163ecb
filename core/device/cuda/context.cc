#include "core/device/cuda/context.h"

#include <utility>

#include "core/device/cuda/status.h"

namespace rondo::device {

Result<std::shared_ptr<CudaContext>> CudaContext::retain(const CudaTable& table, CudaFrees& frees,
                                                         int index) {
  std::shared_ptr<CudaContext> made(new CudaContext(table, frees, index));
  RONDO_TRY(made->check("cuDeviceGet", table.cuDeviceGet(&made->number_, index)));
  RONDO_TRY(made->check(
      "cuDeviceGetAttribute",
      table.cuDeviceGetAttribute(&made->multiprocessors_, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
                                 made->number_)));
  CUcontext context = nullptr;
  RONDO_TRY(made->check("cuDevicePrimaryCtxRetain",
                        table.cuDevicePrimaryCtxRetain(&context, made->number_)));
  made->context_ = context;
  return made;
}

CudaContext::~CudaContext() {
  // What comes of it changes nothing: a driver that is already gone says so here.
  if (context_ == nullptr) return;
  {
    const CudaScope scope(*this);
    modules_.unload(table_);
    bells_.close(table_);
  }
  table_.cuDevicePrimaryCtxRelease(number_);
}

Status CudaContext::check(std::string_view function, CUresult code) const {
  return cuda_status(table_, device(), function, code);
}

Status CudaContext::reach(const CudaContext& other) {
  int can = 0;
  RONDO_TRY(
      check("cuDeviceCanAccessPeer", table_.cuDeviceCanAccessPeer(&can, number_, other.number_)));
  if (can == 0) return check("reaching another device", CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  const CudaScope scope(*this);
  RONDO_TRY(scope.status());
  const CUresult code = table_.cuCtxEnablePeerAccess(other.context_, 0);
  if (code == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED) return {};
  return check("cuCtxEnablePeerAccess", code);
}

void CudaContext::give_back(std::function<void(const CudaTable&)> action) const {
  frees_.give_back([own = shared_from_this(), action = std::move(action)] {
    const CudaScope scope(*own);
    action(own->table_);
  });
}

Result<CUfunction> CudaContext::kernel(const void* image, const char* name) const {
  return modules_.kernel(*this, image, name);
}

Status CudaContext::ring_behind(CUevent event, const std::shared_ptr<Bell>& bell) const {
  const CudaScope scope(*this);
  RONDO_TRY(scope.status());
  return bells_.ring_behind(*this, event, bell);
}

CudaScope::CudaScope(const CudaContext& context)
    : table_(context.table()), status_(enter(context)) {}

Status CudaScope::enter(const CudaContext& context) {
  RONDO_TRY(context.check("cuCtxPushCurrent", table_.cuCtxPushCurrent(context.native())));
  Status status = context.check("cuThreadExchangeStreamCaptureMode",
                                table_.cuThreadExchangeStreamCaptureMode(&mode_));
  CUcontext popped = nullptr;
  if (!status.ok()) table_.cuCtxPopCurrent(&popped);
  return status;
}

CudaScope::~CudaScope() {
  if (!status_.ok()) return;
  CUcontext popped = nullptr;
  table_.cuThreadExchangeStreamCaptureMode(&mode_);
  table_.cuCtxPopCurrent(&popped);
}

}  // namespace rondo::device
