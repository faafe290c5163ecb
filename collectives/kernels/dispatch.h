#pragma once

// Choice among the instances of a function that Highway's foreach_target compiled. In place of
// HWY_DYNAMIC_DISPATCH, whose table is filled by a shared library that librondo does without.

#include "collectives/kernels/instruction_set.h"
#include "collectives/kernels/reduce.h"
#include "hwy/highway.h"

namespace rondo::kernels {

using Select = ReduceKernel (*)(ReduceOp);

/// A set that this build wasn't compiled for has a null `avx512` or `avx2`.
inline ReduceKernel select_by_instruction_set(ReduceOp op, Select avx512, Select avx2,
                                              Select baseline) {
  const InstructionSet set = instruction_set();
  if (set == InstructionSet::kAvx512 && avx512 != nullptr) return avx512(op);
  if (set != InstructionSet::kBaseline && avx2 != nullptr) return avx2(op);
  return baseline(op);
}

}  // namespace rondo::kernels

#define RONDO_SELECT_HERE(select, op)                                             \
  select_by_instruction_set(op, HWY_CHOOSE_AVX3(select), HWY_CHOOSE_AVX2(select), \
                            &HWY_STATIC_DISPATCH(select))
