#pragma once

// The reduce kernels of the host, one function per family of element types: each family is a
// translation unit of its own, because every kernel is compiled once per instruction set.
// The kernel returned is the one of the best instruction set that this machine has.
// Threads: any.

#include "collectives/kernels/reduce.h"
#include "rondo/types.h"

namespace rondo::kernels {

/// Sum, product, minimum, maximum and average. Null for any other op.
ReduceKernel select_f16(ReduceOp op);
ReduceKernel select_bf16(ReduceOp op);
ReduceKernel select_f32(ReduceOp op);
ReduceKernel select_f64(ReduceOp op);
ReduceKernel select_i8(ReduceOp op);
ReduceKernel select_u8(ReduceOp op);
ReduceKernel select_i32(ReduceOp op);
ReduceKernel select_u32(ReduceOp op);
ReduceKernel select_i64(ReduceOp op);
ReduceKernel select_u64(ReduceOp op);

/// Bitwise and, or and exclusive or of integers of so many bits. Null for any other op.
ReduceKernel select_bits8(ReduceOp op);
ReduceKernel select_bits32(ReduceOp op);
ReduceKernel select_bits64(ReduceOp op);

}  // namespace rondo::kernels
