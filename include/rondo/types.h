#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

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
/// are combined as f32 and rounded to nearest even where a partial result is stored or sent. Only
/// integers are combined bit by bit.
enum class ReduceOp : std::uint8_t { kSum, kProd, kMin, kMax, kAvg, kBitAnd, kBitOr, kBitXor };

/// The name as it is printed and parsed: "sum", "prod", "min", "max", "avg", "band", "bor", "bxor".
RONDO_API const char* to_string(ReduceOp op);

namespace detail {
template <typename T, typename... Types>
inline constexpr bool kIsOneOf = (std::is_same_v<T, Types> || ...);
}  // namespace detail

/// A C++ type of elements: integers of 8, 32 and 64 bits, float, double. (f16 and bf16 have none.)
template <typename T>
concept Element = detail::kIsOneOf<T, signed char, unsigned char, int, unsigned int, long,
                                   unsigned long, long long, unsigned long long, float, double>;

/// The DataType of a C++ type.
template <Element T>
constexpr DataType data_type_of() {
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? DataType::kF32 : DataType::kF64;
  } else if constexpr (std::is_signed_v<T>) {
    return sizeof(T) == 1 ? DataType::kI8 : sizeof(T) == 4 ? DataType::kI32 : DataType::kI64;
  } else {
    return sizeof(T) == 1 ? DataType::kU8 : sizeof(T) == 4 ? DataType::kU32 : DataType::kU64;
  }
}

/// Elements that a collective reads or writes; borrowed for the length of the call (for an
/// asynchronous call: until its Work is done).
struct Buffer {
  Buffer() = default;
  /// `count` elements of the pointer's own type.
  template <Element T>
  Buffer(T* data, std::size_t elements, Device device = Device::host())
      : pointer(data), count(elements), dtype(data_type_of<T>()), place(device) {}
  /// Elements whose type is known only when the program runs.
  Buffer(void* data, std::size_t elements, DataType type, Device device = Device::host())
      : pointer(data), count(elements), dtype(type), place(device) {}

  void* pointer = nullptr;
  std::size_t count = 0;  ///< elements, not bytes
  DataType dtype = DataType::kF32;
  Device place = Device::host();  ///< whose memory it is
};

/// The same, read only: what a collective takes as its input.
struct ConstBuffer {
  ConstBuffer() = default;
  template <Element T>
  ConstBuffer(const T* data, std::size_t elements, Device device = Device::host())
      : pointer(data), count(elements), dtype(data_type_of<T>()), place(device) {}
  ConstBuffer(const void* data, std::size_t elements, DataType type, Device device = Device::host())
      : pointer(data), count(elements), dtype(type), place(device) {}
  /// Whatever can be written can be read.
  ConstBuffer(const Buffer& buffer)  // NOLINT(google-explicit-constructor)
      : ConstBuffer(buffer.pointer, buffer.count, buffer.dtype, buffer.place) {}

  const void* pointer = nullptr;
  std::size_t count = 0;  ///< elements, not bytes
  DataType dtype = DataType::kF32;
  Device place = Device::host();  ///< whose memory it is
};

}  // namespace v1
}  // namespace rondo
