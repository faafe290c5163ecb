// Bitwise reduce kernels of all integers. They needn't know where an element ends: there is one
// kernel, of bytes, for each op, and the element's size is only counted.

#include "collectives/kernels/host_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collectives/kernels/reduce_bits.cc"
#include "hwy/foreach_target.h"  // includes this file once per target
// After foreach_target.h, which sets what these are compiled for.
#include "collectives/kernels/dispatch.h"
#include "collectives/kernels/reduce_loop-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace rondo::kernels {
namespace HWY_NAMESPACE {

template <class Op, std::size_t kElementBytes>
void reduce_bytes(const ReduceArguments& arguments) {
  ReduceArguments bytes = arguments;
  bytes.count *= kElementBytes;
  reduce<Op, std::uint8_t>(bytes);
}

template <std::size_t kElementBytes>
ReduceKernel select_of_bytes(ReduceOp op) {
  if (op == ReduceOp::kBitAnd) return &reduce_bytes<BitAnd, kElementBytes>;
  if (op == ReduceOp::kBitOr) return &reduce_bytes<BitOr, kElementBytes>;
  if (op == ReduceOp::kBitXor) return &reduce_bytes<BitXor, kElementBytes>;
  return nullptr;
}

ReduceKernel select_bits8_here(ReduceOp op) { return select_of_bytes<1>(op); }
ReduceKernel select_bits32_here(ReduceOp op) { return select_of_bytes<4>(op); }
ReduceKernel select_bits64_here(ReduceOp op) { return select_of_bytes<8>(op); }

}  // namespace HWY_NAMESPACE
}  // namespace rondo::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rondo::kernels {

ReduceKernel select_bits8(ReduceOp op) { return RONDO_SELECT_HERE(select_bits8_here, op); }
ReduceKernel select_bits32(ReduceOp op) { return RONDO_SELECT_HERE(select_bits32_here, op); }
ReduceKernel select_bits64(ReduceOp op) { return RONDO_SELECT_HERE(select_bits64_here, op); }

}  // namespace rondo::kernels
#endif  // HWY_ONCE
