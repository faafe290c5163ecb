#pragma once

// How `mul` sees its operands: X's axes before x_num_col_dims count rows, the others are one row.

#include "rondo/nn/program.h"

namespace rondo::nn {

struct MatrixShape {
  std::int64_t rows = 1;
  std::int64_t inner = 1;
  std::int64_t columns = 1;
};

inline std::size_t row_axes(const Op& op) {
  return static_cast<std::size_t>(op.attribute<std::int64_t>("x_num_col_dims", 1));
}

inline MatrixShape matrix_shape(const Dims& x, const Dims& y, std::size_t row_axis_count) {
  MatrixShape shape;
  shape.columns = y[1];
  for (std::size_t i = 0; i < x.size(); ++i) {
    (i < row_axis_count ? shape.rows : shape.inner) *= x[i];
  }
  return shape;
}

}  // namespace rondo::nn
