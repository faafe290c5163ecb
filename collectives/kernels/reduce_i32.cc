// Reduce kernels of the 32-bit integers.

#include "collectives/kernels/host_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collectives/kernels/reduce_i32.cc"
#include "hwy/foreach_target.h"  // includes this file once per target
// After foreach_target.h, which sets what these are compiled for.
#include "collectives/kernels/dispatch.h"
#include "collectives/kernels/reduce_loop-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rondo::kernels {
namespace HWY_NAMESPACE {

ReduceKernel select_i32_here(ReduceOp op) { return select_kernel<int32_t>(op); }
ReduceKernel select_u32_here(ReduceOp op) { return select_kernel<uint32_t>(op); }

}  // namespace HWY_NAMESPACE
}  // namespace rondo::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rondo::kernels {

ReduceKernel select_i32(ReduceOp op) { return RONDO_SELECT_HERE(select_i32_here, op); }
ReduceKernel select_u32(ReduceOp op) { return RONDO_SELECT_HERE(select_u32_here, op); }

}  // namespace rondo::kernels
#endif  // HWY_ONCE
