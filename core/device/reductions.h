#pragma once

// For which types and ops devices have reduce kernels, as a set that ranks can tell each other.

#include <array>
#include <cstddef>
#include <cstdint>

#include "rondo/types.h"

namespace rondo::device {

class Reductions {
 public:
  static constexpr std::size_t kTypes = static_cast<std::size_t>(DataType::kF64) + 1;
  /// By a type's number: its ops, a bit for each by its number.
  using Ops = std::array<std::uint8_t, kTypes>;
  static_assert(static_cast<int>(ReduceOp::kBitXor) < 8, "an op for each bit");

  Reductions() = default;
  explicit Reductions(const Ops& ops) : ops_(ops) {}

  const Ops& ops() const { return ops_; }
  void add(DataType type, ReduceOp op) {
    std::uint8_t& bits = ops_[static_cast<std::size_t>(type)];
    bits = static_cast<std::uint8_t>(bits | bit_of(op));
  }
  bool has(DataType type, ReduceOp op) const {
    return (ops_[static_cast<std::size_t>(type)] & bit_of(op)) != 0;
  }
  void keep_those_of(const Reductions& other) {
    for (std::size_t i = 0; i < kTypes; ++i)
      ops_[i] = static_cast<std::uint8_t>(ops_[i] & other.ops_[i]);
  }
  friend bool operator==(const Reductions&, const Reductions&) = default;

 private:
  static constexpr unsigned int bit_of(ReduceOp op) { return 1U << static_cast<unsigned int>(op); }

  Ops ops_{};
};

}  // namespace rondo::device
