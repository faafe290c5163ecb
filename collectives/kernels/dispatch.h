#pragma once

// Choice among the instances of a function that Highway's foreach_target compiled. In place of
// HWY_DYNAMIC_DISPATCH, whose table is filled by a shared library that librondo does without.

#include "collectives/kernels/instruction_set.h"
#include "collectives/kernels/reduce.h"
#include "hwy/highway.h"

namespace rondo::kernels {

using Select = ReduceKernel (*)(ReduceOp);

/// A set that this build wasn't compiled for has a null `avx512` or `avx2`.
template <class Function>
Function of_instruction_set(Function avx512, Function avx2, Function baseline) {
  const InstructionSet set = instruction_set();
  if (set == InstructionSet::kAvx512 && avx512 != nullptr) return avx512;
  if (set != InstructionSet::kBaseline && avx2 != nullptr) return avx2;
  return baseline;
}

}  // namespace rondo::kernels

/// The instance of `function`, of which `Function` is the pointer type.
#define RONDO_INSTANCE(Function, function)                                           \
  of_instruction_set<Function>(HWY_CHOOSE_AVX3(function), HWY_CHOOSE_AVX2(function), \
                               &HWY_STATIC_DISPATCH(function))

#define RONDO_SELECT_HERE(select, op) RONDO_INSTANCE(Select, select)(op)
