#pragma once

#include <cstddef>
#include <cstdint>

#include "rondo/device.h"
#include "rondo/export.h"

namespace rondo {
inline namespace v1 {

/// Type of a buffer's elements.
enum class DataType : std::uint8_t { kI8, kU8, kI32, kU32, kI64, kU64, kF16, kBF16, kF32, kF64 };

/// Bytes of one element.
RONDO_API std::size_t size_of(DataType type);
/// The name as it is printed and parsed: "f32", "i64", ...
RONDO_API const char* to_string(DataType type);

/// How elements of different ranks are combined. `kAvg` is the sum divided by the world size
/// (rounded towards zero for integers). Integers wrap, also the sum that is divided. f16 and bf16
/// can be moved, not yet combined.
enum class ReduceOp : std::uint8_t { kSum, kProd, kMin, kMax, kAvg };

/// The name as it is printed and parsed: "sum", "prod", ...
RONDO_API const char* to_string(ReduceOp op);

/// Elements that a collective reads or writes; borrowed for the length of the call (for an
/// asynchronous call: until its Work is done).
struct Buffer {
  void* pointer = nullptr;
  std::size_t count = 0;  ///< elements, not bytes
  DataType dtype = DataType::kF32;
  Device place = Device::host();  ///< whose memory it is
};

}  // namespace v1
}  // namespace rondo
