// Reduce kernels of f32 and f64, and the name of what they were compiled for.

#include "collectives/kernels/host_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collectives/kernels/reduce_float.cc"
#include "hwy/foreach_target.h"  // includes this file once per target
// After foreach_target.h, which sets what these two are compiled for.
#include "collectives/kernels/reduce_loop-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rondo::kernels {
namespace HWY_NAMESPACE {

ReduceKernel select_f32_here(ReduceOp op) { return select_kernel<float>(op); }
ReduceKernel select_f64_here(ReduceOp op) { return select_kernel<double>(op); }
const char* target_name_here() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace rondo::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rondo::kernels {

HWY_EXPORT(select_f32_here);
ReduceKernel select_f32(ReduceOp op) { return HWY_DYNAMIC_DISPATCH(select_f32_here)(op); }

HWY_EXPORT(select_f64_here);
ReduceKernel select_f64(ReduceOp op) { return HWY_DYNAMIC_DISPATCH(select_f64_here)(op); }

HWY_EXPORT(target_name_here);
const char* host_kernel_target() { return HWY_DYNAMIC_DISPATCH(target_name_here)(); }

}  // namespace rondo::kernels
#endif  // HWY_ONCE
