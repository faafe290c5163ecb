#pragma once

#include <cstddef>
#include <cstdint>

#include "rondo/types.h"

namespace rondo {
inline namespace v1 {

/// A program's own way to combine elements: left[i] = left[i] (+) right[i] for i < count, where
/// `left` holds what is combined already. It must be associative, as far as the program cares for
/// which grouping it gets; of two elements of any DataType, whose bits are its own affair.
struct CustomReduce {
  /// Called many times a call, with some of the elements each time, never with none; the two don't
  /// overlap, and are aligned to their elements. It must not use the communicator. What it throws
  /// breaks the communicator: the call fails with the exception's text (a rondo::Error's code, else
  /// Cancelled), here and, as "rank r gave up", on every other rank.
  /// Threads: whichever moves the call on (a waiting one or the progress thread), one at a time for
  /// each communicator.
  using Function = void (*)(void* left, const void* right, std::size_t count, DataType dtype,
                            void* context);

  Function function = nullptr;
  /// Handed to the function as it is; borrowed until the call is done, as buffers are.
  void* context = nullptr;
  /// a (+) b and b (+) a have the same bits. Where not, ranks' inputs are combined in rank order,
  /// ((x0 (+) x1) (+) x2) ..., and only algorithms that do so are chosen from; an algorithm that is
  /// forced, and doesn't, is passed over.
  bool commutative = false;
};

/// How a reducing collective combines the ranks' inputs: one of the built-in ops, which it converts
/// from, or what the functions below make. A value.
class Reduction {
 public:
  enum class Kind : std::uint8_t { kBuiltIn, kPremultipliedSum, kCustom };

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

  /// By a function of the program's. Every rank gives one that does the same: ranks can't compare
  /// functions, only whether each has one, and whether it is said to commute.
  /// Cost:   as a built-in op, plus the function, and a copy of what is combined through the cache.
  /// Errors: InvalidArgument where there is no function.
  static constexpr Reduction custom(const CustomReduce& custom) {
    Reduction reduction(ReduceOp::kSum);
    reduction.kind_ = Kind::kCustom;
    reduction.custom_ = custom;
    return reduction;
  }

  constexpr Kind kind() const { return kind_; }
  /// By which the elements, premultiplied or not, are combined; not of a custom one.
  constexpr ReduceOp op() const { return op_; }
  constexpr double factor() const { return factor_; }
  constexpr const CustomReduce& custom() const { return custom_; }

 private:
  Kind kind_ = Kind::kBuiltIn;
  ReduceOp op_;
  double factor_ = 1;
  CustomReduce custom_{};
};

}  // namespace v1
}  // namespace rondo
