// A build of librondo whose host kernel for sums of f32 is broken on purpose: it leaves the last
// source out. The linker puts this function in the place of the one that chooses f32's kernels
// (--wrap in CMakeLists.txt); all else is the library's own objects.

#include "collectives/kernels/host_kernels.h"

namespace rondo::kernels {

ReduceKernel sound_f32(ReduceOp op) asm("__real__ZN5rondo7kernels10select_f32ENS_2v18ReduceOpE");
ReduceKernel broken_f32(ReduceOp op) asm("__wrap__ZN5rondo7kernels10select_f32ENS_2v18ReduceOpE");

namespace {

void broken_sum(const ReduceArguments& given) {
  ReduceArguments less = given;
  if (less.sources.size() > 1) less.sources = less.sources.first(less.sources.size() - 1);
  sound_f32(ReduceOp::kSum)(less);
}

}  // namespace

ReduceKernel broken_f32(ReduceOp op) { return op == ReduceOp::kSum ? &broken_sum : sound_f32(op); }

}  // namespace rondo::kernels
