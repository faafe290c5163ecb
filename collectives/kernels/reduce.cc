#include "collectives/kernels/reduce.h"

#include <fmt/core.h>

#include "collectives/kernels/host_kernels.h"
#include "core/dtype.h"

namespace rondo::kernels {
namespace {

using Select = ReduceKernel (*)(ReduceOp);

Select arithmetic_of(DataType type) {
  switch (type) {
    case DataType::kI8: return select_i8;
    case DataType::kU8: return select_u8;
    case DataType::kI32: return select_i32;
    case DataType::kU32: return select_u32;
    case DataType::kI64: return select_i64;
    case DataType::kU64: return select_u64;
    case DataType::kF16: return select_f16;
    case DataType::kBF16: return select_bf16;
    case DataType::kF32: return select_f32;
    case DataType::kF64: return select_f64;
  }
  return nullptr;
}

Select bitwise_of(DataType type) {
  if (!is_integer(type)) return nullptr;
  if (size_of(type) == 1) return select_bits8;
  return size_of(type) == 4 ? select_bits32 : select_bits64;
}

}  // namespace

Result<ReduceKernel> find_reduce_kernel(DeviceKind device, DataType type, ReduceOp op) {
  // The emulated device's kernels run on its stream's thread, on memory that this thread may
  // touch: they are the host's.
  if (device != DeviceKind::kHost && device != DeviceKind::kEmulated) {
    return Status(ErrorCode::kUnsupported,
                  fmt::format("no reduce kernel for device {} in this build ({} of {})",
                              to_string(device), to_string(op), to_string(type)));
  }
  const Select select = is_bitwise(op) ? bitwise_of(type) : arithmetic_of(type);
  const ReduceKernel kernel = select != nullptr ? select(op) : nullptr;
  if (kernel != nullptr) return kernel;
  return Status(
      ErrorCode::kUnsupported,
      fmt::format("no reduce kernel for {} of {} on device {}: integers have the ops sum, "
                  "prod, min, max, avg, band, bor, bxor; floats (f16, bf16, f32, f64) "
                  "the first five",
                  to_string(op), to_string(type), to_string(device)));
}

}  // namespace rondo::kernels
