#pragma once

// On registers. Only `reduce` over a block looks at what other threads have.

#include "core/device/primitives/block.h"

namespace rondo::primitives {

template <int NX, class Out, class In, class Op>
RONDO_KERNEL_INLINE void elementwise_unary(Out* out, const In* in, Op op) {
  RONDO_UNROLL
  for (int x = 0; x < NX; ++x) out[x] = static_cast<Out>(op(in[x]));
}

template <int NX, class Out, class In, class Op>
RONDO_KERNEL_INLINE void elementwise_binary(Out* out, const In* a, const In* b, Op op) {
  RONDO_UNROLL
  for (int x = 0; x < NX; ++x) out[x] = static_cast<Out>(op(a[x], b[x]));
}

template <int NX, class Out, class In, class Op>
RONDO_KERNEL_INLINE void elementwise_ternary(Out* out, const In* a, const In* b, const In* c,
                                             Op op) {
  RONDO_UNROLL
  for (int x = 0; x < NX; ++x) out[x] = static_cast<Out>(op(a[x], b[x], c[x]));
}

/// `op` is given one element of each of the kCount inputs, as an array.
template <int NX, int kCount, class Out, class In, class Op>
RONDO_KERNEL_INLINE void elementwise_any(Out* out, const In (&in)[kCount][NX], Op op) {
  RONDO_UNROLL
  for (int x = 0; x < NX; ++x) {
    In arguments[kCount];
    RONDO_UNROLL
    for (int i = 0; i < kCount; ++i) arguments[i] = in[i][x];
    out[x] = static_cast<Out>(op(arguments));
  }
}

/// Each of NY rows of NX elements is combined with the one row `a`.
template <int NX, int NY, class Out, class In, class Op>
RONDO_KERNEL_INLINE void cycle_binary(Out* out, const In* a, const In* b, Op op) {
  RONDO_UNROLL
  for (int y = 0; y < NY; ++y) elementwise_binary<NX>(out + y * NX, a, b + y * NX, op);
}

/// kThread: what a thread holds is combined to one value for each row. kBlock: and then with what
/// the block's other threads hold, so that all have the result.
enum class ReduceMode { kThread, kBlock };

/// One value of all threads of the block, in all of them: thread 0's first, then 1's and so on in
/// pairs of neighbours, so that the order depends on the number of threads alone, which is a power
/// of two and at most kMostThreads.
template <int kMostThreads, class Block, class T, class Op>
RONDO_KERNEL_INLINE T reduce_over_block(const Block& block, T value, Op op) {
  T* const values = block.template shared<T, kMostThreads>();
  const unsigned int thread = block.thread();
  values[thread] = value;
  block.sync();
  for (unsigned int step = 1; step < block.threads(); step *= 2) {
    const bool combines = thread % (2 * step) == 0;
    if (combines) values[thread] = op(values[thread], values[thread + step]);
    block.sync();
  }
  const T result = values[0];
  block.sync();  // the memory may be used again
  return result;
}

/// NY rows of NX elements, which begin with `first`: out[y] = first (op) row y's elements in order.
template <int NX, int NY, ReduceMode kMode, int kMostThreads = 1024, class Block, class T, class Op>
RONDO_KERNEL_INLINE void reduce(const Block& block, T* out, const T* in, Op op, T first) {
  RONDO_UNROLL
  for (int y = 0; y < NY; ++y) {
    T value = first;
    RONDO_UNROLL
    for (int x = 0; x < NX; ++x) value = op(value, in[y * NX + x]);
    if constexpr (kMode == ReduceMode::kBlock)
      value = reduce_over_block<kMostThreads>(block, value, op);
    out[y] = value;
  }
}

}  // namespace rondo::primitives
