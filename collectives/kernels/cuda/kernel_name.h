#pragma once

// The names of CUDA kernels (reduce_list.h).

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/dtype.h"
#include "rondo/types.h"

namespace rondo::kernels::cuda {

/// Of `what` ("reduce", "schedule"). Bits are the same for every integer of a size.
inline std::string kernel_name(std::string_view what, DataType type, ReduceOp op) {
  if (!is_bitwise(op)) return fmt::format("rondo_{}_{}_{}", what, to_string(type), to_string(op));
  return fmt::format("rondo_{}_bits{}_{}", what, 8 * size_of(type), to_string(op));
}

}  // namespace rondo::kernels::cuda
