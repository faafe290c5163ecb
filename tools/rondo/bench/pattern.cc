#include "tools/rondo/bench/pattern.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "core/dtype.h"

namespace rondo::tool {
namespace {

/// Calls `use` with a value of the C++ type that stands for `type`'s elements; 16-bit floats are
/// worked out as floats.
template <class Use>
auto with_element(DataType type, const Use& use) {
  switch (type) {
    case DataType::kI8: return use(std::int8_t{});
    case DataType::kU8: return use(std::uint8_t{});
    case DataType::kI32: return use(std::int32_t{});
    case DataType::kU32: return use(std::uint32_t{});
    case DataType::kI64: return use(std::int64_t{});
    case DataType::kU64: return use(std::uint64_t{});
    case DataType::kF64: return use(double{});
    default: return use(float{});
  }
}

/// `value`, computed by with_element's type, as an element of `type` in memory.
template <class T>
void write_element(DataType type, T value, std::byte* target) {
  if constexpr (std::is_same_v<T, float>) {
    if (size_of(type) == sizeof(std::uint16_t)) {
      const std::uint16_t half =
          type == DataType::kF16 ? f16_from_f32(value) : bf16_from_f32(value);
      std::memcpy(target, &half, sizeof(half));
      return;
    }
  }
  std::memcpy(target, &value, sizeof(value));
}

/// What the numbers of a pattern depend on, besides rank and place.
struct Call {
  DataType type;
  ReduceOp op;
  int world;
  std::uint64_t salt;

  bool is_half() const { return type == DataType::kF16 || type == DataType::kBF16; }
  /// Of so many neighbouring ranks one contributes to an element: of 16-bit floats at most 32 in
  /// all, which keeps every partial sum (up to 32 * 6) exact in the 8 bits of bf16.
  int stride() const { return is_half() ? (world + 31) / 32 : 1; }
};

/// Differs by index, rank and salt, and none follows from another: of numbers that rise with the
/// rank, ranks some way apart have the same, and neighbours may sum to nothing everywhere.
/// Source: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
std::uint64_t mixed_bits(std::size_t index, int rank, std::uint64_t salt) {
  static_assert(kPeriod <= 1 << 10);
  std::uint64_t bits = (salt << 32) + (static_cast<std::uint64_t>(rank) << 10) + index;
  bits *= 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

/// Of four neighbouring contributors one has a two, one a minus and two have ones, so that the
/// product of 500 ranks still is a float.
std::int64_t factor_of(std::size_t index, int contributor, std::uint64_t salt) {
  const std::uint64_t bits = mixed_bits(index, contributor / 4, salt);
  constexpr std::array<std::array<std::int64_t, 4>, 3> kFactors = {
      {{2, -1, 1, 1}, {2, 1, -1, 1}, {2, 1, 1, -1}}};
  return kFactors[bits / 4 % 3][(static_cast<std::uint64_t>(contributor) + bits) % 4];
}

/// Parts of an average are multiples of the world, so that it is whole; of 16-bit floats they are
/// small, and the one division is rounded as the library does it. Each rank has its say in a bit or
/// two.
std::int64_t input_value(const Call& call, std::size_t index, int rank) {
  const bool contributes =
      (index + static_cast<std::size_t>(rank)) % static_cast<std::size_t>(call.stride()) == 0;
  if (call.op == ReduceOp::kProd) {
    return contributes ? factor_of(index, rank / call.stride(), call.salt) : 1;
  }
  const std::uint64_t mixed = mixed_bits(index, rank, call.salt);
  const std::int64_t small = static_cast<std::int64_t>(mixed % 13) - 6;
  switch (call.op) {
    case ReduceOp::kSum: return contributes ? small : 0;
    case ReduceOp::kAvg: return contributes ? small * (call.is_half() ? 1 : call.world) : 0;
    case ReduceOp::kBitAnd: return ~(std::int64_t{1} << mixed % 31);
    case ReduceOp::kBitOr: return std::int64_t{1} << mixed % 31;
    default: return small;
  }
}

/// a (+) b as the library defines it: integers wrap.
template <class T>
T combine(ReduceOp op, T a, T b) {
  if (op == ReduceOp::kMin) return std::min(a, b);
  if (op == ReduceOp::kMax) return std::max(a, b);
  if constexpr (std::is_integral_v<T>) {
    if (op == ReduceOp::kBitAnd) return static_cast<T>(a & b);
    if (op == ReduceOp::kBitOr) return static_cast<T>(a | b);
    if (op == ReduceOp::kBitXor) return static_cast<T>(a ^ b);
  }
  using Wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
  // NOLINTNEXTLINE(bugprone-signed-char-misuse): the low bits are the same with or without the sign
  const Wide wide_a = static_cast<Wide>(a);
  const Wide wide_b = static_cast<Wide>(b);  // NOLINT(bugprone-signed-char-misuse)
  return static_cast<T>(op == ReduceOp::kProd ? wide_a * wide_b : wide_a + wide_b);
}

template <class T>
T reduced_value(const Call& call, std::size_t index) {
  T value = static_cast<T>(input_value(call, index, 0));
  for (int rank = 1; rank < call.world; ++rank) {
    value = combine(call.op, value, static_cast<T>(input_value(call, index, rank)));
  }
  if (call.op != ReduceOp::kAvg) return value;
  using Wide =
      std::conditional_t<std::is_floating_point_v<T>, T,
                         std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
  return static_cast<T>(static_cast<Wide>(value) / static_cast<Wide>(call.world));
}

/// A pattern whose element i is `value_of(i, T{})`.
template <class ValueOf>
Pattern make_pattern(DataType type, const ValueOf& value_of) {
  Pattern pattern{type, std::vector<std::byte>(kPeriod * size_of(type))};
  with_element(type, [&](auto zero) {
    for (std::size_t i = 0; i < kPeriod; ++i) {
      write_element(type, value_of(i, zero), pattern.bytes.data() + i * size_of(type));
    }
  });
  return pattern;
}

/// Calls `use(done, index, part)` for `count` elements, cut where the pattern starts again.
template <class Use>
void for_each_part(std::size_t count, std::size_t first, const Use& use) {
  std::size_t index = first % kPeriod;
  for (std::size_t done = 0; done < count;) {
    const std::size_t part = std::min(count - done, kPeriod - index);
    use(done, index, part);
    done += part;
    index = 0;
  }
}

}  // namespace

Pattern input_pattern(DataType type, const BenchOp& op, int rank, int world, std::uint64_t salt) {
  const Call call{type, op.op, world, salt};
  const std::int64_t divisor = op.premultiplied ? divisor_of(rank) : 1;
  return make_pattern(type, [&](std::size_t i, auto zero) {
    return static_cast<decltype(zero)>(input_value(call, i, rank) * divisor);
  });
}

Pattern reduced_pattern(DataType type, const BenchOp& op, int world, std::uint64_t salt) {
  const Call call{type, op.op, world, salt};
  return make_pattern(
      type, [&](std::size_t i, auto zero) { return reduced_value<decltype(zero)>(call, i); });
}

void write_pattern(const Pattern& pattern, void* target, std::size_t count, std::size_t first) {
  const std::size_t size = size_of(pattern.type);
  for_each_part(count, first, [&](std::size_t done, std::size_t index, std::size_t part) {
    std::memcpy(static_cast<std::byte*>(target) + done * size, pattern.bytes.data() + index * size,
                part * size);
  });
}

std::uint64_t count_wrong(const Pattern& pattern, const void* data, std::size_t count,
                          std::size_t first) {
  const std::size_t size = size_of(pattern.type);
  std::uint64_t wrong = 0;
  for_each_part(count, first, [&](std::size_t done, std::size_t index, std::size_t part) {
    const std::byte* got = static_cast<const std::byte*>(data) + done * size;
    const std::byte* want = pattern.bytes.data() + index * size;
    if (std::memcmp(got, want, part * size) == 0) return;
    for (std::size_t i = 0; i < part; ++i) {
      if (std::memcmp(got + i * size, want + i * size, size) != 0) ++wrong;
    }
  });
  return wrong;
}

}  // namespace rondo::tool
