// Reduce kernels of bf16 (bfloat16).

#include "collectives/kernels/host_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collectives/kernels/reduce_bf16.cc"
#include "hwy/foreach_target.h"  // includes this file once per target
// After foreach_target.h, which sets what these are compiled for.
#include "collectives/kernels/dispatch.h"
#include "collectives/kernels/half_formats-inl.h"
#include "collectives/kernels/reduce_loop-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rondo::kernels {
namespace HWY_NAMESPACE {

ReduceKernel select_bf16_here(ReduceOp op) { return select_half_kernel<Bf16>(op); }

}  // namespace HWY_NAMESPACE
}  // namespace rondo::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rondo::kernels {

ReduceKernel select_bf16(ReduceOp op) { return RONDO_SELECT_HERE(select_bf16_here, op); }

}  // namespace rondo::kernels
#endif  // HWY_ONCE
