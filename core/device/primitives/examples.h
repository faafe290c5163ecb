#pragma once

// Three worked kernels on the primitives, explained in docs/kernel-primitives.md: an element-wise
// addition, sums of rows, and a small model. They are compiled for CUDA devices and tested on the
// host.

#include "core/device/primitives/compute.h"
#include "core/device/primitives/data_mover.h"
#include "core/device/primitives/functors.h"

namespace rondo::primitives {

/// out[i] = a[i] + b[i]. Any grid; memory is aligned to 16 bytes.
template <class Block>
RONDO_KERNEL_INLINE void elementwise_add(const Block& block, float* out, const float* a,
                                         const float* b, int count) {
  constexpr int kNx = kAccessLanes<float>;
  const int tile = static_cast<int>(block.threads()) * kNx;
  for (int start = static_cast<int>(block.block()) * tile; start < count;
       start += static_cast<int>(block.blocks()) * tile) {
    float left[kNx], right[kNx], sum[kNx];
    const int rest = count - start;
    if (rest >= tile) {
      read_data<kNx, false>(block, left, a + start);
      read_data<kNx, false>(block, right, b + start);
    } else {
      init<kNx>(left, 0.0F);
      init<kNx>(right, 0.0F);
      read_data<kNx, true>(block, left, a + start, rest);
      read_data<kNx, true>(block, right, b + start, rest);
    }
    elementwise_binary<kNx>(sum, left, right, Add());
    if (rest >= tile)
      write_data<kNx, false>(block, out + start, sum);
    else
      write_data<kNx, true>(block, out + start, sum, rest);
  }
}

/// One row's elements combined by all threads of a block; the result in all of them.
template <class Block, class Op>
RONDO_KERNEL_INLINE float reduce_row(const Block& block, const float* row, int columns, Op op,
                                     float first) {
  constexpr int kNx = 4;
  const int tile = static_cast<int>(block.threads()) * kNx;
  float value = first;
  for (int start = 0; start < columns; start += tile) {
    float registers[kNx], part[1];
    init<kNx>(registers, first);
    read_data<kNx, true>(block, registers, row + start, columns - start);
    reduce<kNx, 1, ReduceMode::kThread>(block, part, registers, op, first);
    value = op(value, part[0]);
  }
  return reduce_over_block<1024>(block, value, op);
}

/// out[row] = the sum of that row. A block takes a row at a time; threads: a power of two.
template <class Block>
RONDO_KERNEL_INLINE void row_sums(const Block& block, float* out, const float* in, int rows,
                                  int columns) {
  for (int row = static_cast<int>(block.block()); row < rows;
       row += static_cast<int>(block.blocks())) {
    const float sum = reduce_row(block, in + row * columns, columns, Add(), 0.0F);
    if (block.thread() == 0) out[row] = sum;
  }
}

struct SoftmaxLayer {
  const float* x;     ///< [rows, in]
  const float* w;     ///< [in, out]
  const float* bias;  ///< [out]
  int rows, in, out;
};

/// y[rows, out] = softmax(relu(x w + bias)). A block takes a row at a time; threads: a power of
/// two.
template <class Block>
RONDO_KERNEL_INLINE void softmax_layer(const Block& block, float* y, const SoftmaxLayer& layer) {
  const int threads = static_cast<int>(block.threads());
  const int thread = static_cast<int>(block.thread());
  for (int row = static_cast<int>(block.block()); row < layer.rows;
       row += static_cast<int>(block.blocks())) {
    float* const out = y + row * layer.out;
    float greatest = 0;  // relu leaves nothing below
    for (int o = thread; o < layer.out; o += threads) {
      float value = layer.bias[o];
      for (int i = 0; i < layer.in; ++i)
        value = MultiplyAdd()(layer.x[row * layer.in + i], layer.w[i * layer.out + o], value);
      out[o] = Relu()(value);
      greatest = Maximum()(greatest, out[o]);
    }
    greatest = reduce_over_block<1024>(block, greatest, Maximum());
    float total = 0;
    for (int o = thread; o < layer.out; o += threads) {
      out[o] = Exp()(out[o] - greatest);
      total += out[o];
    }
    total = reduce_over_block<1024>(block, total, Add());
    for (int o = thread; o < layer.out; o += threads) out[o] = Divide()(out[o], total);
  }
}

}  // namespace rondo::primitives
