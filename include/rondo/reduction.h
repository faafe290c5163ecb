#pragma once

#include <cstdint>

#include "rondo/types.h"

namespace rondo {
inline namespace v1 {

/// How a reducing collective combines the ranks' inputs: one of the built-in ops, which it converts
/// from, or what the functions below make. A value.
class Reduction {
 public:
  /// kPremultipliedSum: of the kind, all else that is told below.
  enum class Kind : std::uint8_t { kBuiltIn, kPremultipliedSum };

  constexpr Reduction(ReduceOp op) : op_(op) {}  // NOLINT(google-explicit-constructor)

  /// The sum over ranks of factor * input, each rank with a factor of its own: a mean of parts that
  /// weigh differently. Nothing is written to an input that isn't the output, too.
  /// Shape:  floats only. The factor is rounded to f32 (f64: not), and each product as the elements
  ///         are, to nearest even (f16 and bf16: by way of f32), before anything is added.
  /// Cost:   one more read of the input and write of a copy, which a communicator keeps registered
  ///         memory for: as much as the largest input that was.
  /// Errors: InvalidArgument for integers.
  static constexpr Reduction premultiplied_sum(double factor) {
    Reduction reduction(ReduceOp::kSum);
    reduction.kind_ = Kind::kPremultipliedSum;
    reduction.factor_ = factor;
    return reduction;
  }

  constexpr Kind kind() const { return kind_; }
  /// By which the elements, premultiplied or not, are combined.
  constexpr ReduceOp op() const { return op_; }
  constexpr double factor() const { return factor_; }

 private:
  Kind kind_ = Kind::kBuiltIn;
  ReduceOp op_;
  double factor_ = 1;
};

}  // namespace v1
}  // namespace rondo
