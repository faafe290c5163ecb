// Elements a word at a time: every byte with every other, as single elements have it.

#include "collectives/kernels/cuda/packed.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "collectives/kernels/cuda/reduce_kernel.h"
#include "core/device/primitives/functors.h"

namespace rondo::kernels::cuda {
namespace {

template <class T>
class Packed : public testing::Test {
 protected:
  static std::uint32_t word(int first) {
    std::uint32_t bits = 0;
    for (int i = 0; i < 4; ++i)
      bits |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(first + 61 * i)) << (8 * i);
    return bits;
  }
  static T element(std::uint32_t bits, int i) {
    return static_cast<T>(static_cast<std::uint8_t>(bits >> (8 * i)));
  }

  template <class Op>
  void check_pairs() {
    for (int first = 0; first < 256; ++first) {
      for (int second = 0; second < 256; ++second) {
        const PackedBytes<T> a{word(first)}, b{word(second)};
        const PackedBytes<T> got = Op()(a, b);
        for (int i = 0; i < 4; ++i) {
          ASSERT_EQ(element(got.bits, i), Op()(element(a.bits, i), element(b.bits, i)))
              << +element(a.bits, i) << " and " << +element(b.bits, i);
        }
      }
    }
  }
};
using Bytes = testing::Types<std::int8_t, std::uint8_t>;
TYPED_TEST_SUITE(Packed, Bytes);

TYPED_TEST(Packed, Ops_AreThoseOfSingleElements) {
  this->template check_pairs<primitives::Add>();
  this->template check_pairs<primitives::Multiply>();
  this->template check_pairs<primitives::Minimum>();
  this->template check_pairs<primitives::Maximum>();
  this->template check_pairs<primitives::BitAnd>();
  this->template check_pairs<primitives::BitOr>();
  this->template check_pairs<primitives::BitXor>();
}

TYPED_TEST(Packed, Averages_AreDividedTowardsZero) {
  using Element = PackedElement<std::uint32_t, PackedBytes<std::uint8_t>>;
  for (int divisor = 1; divisor <= 300; ++divisor) {
    for (int first = 0; first < 256; ++first) {
      const PackedBytes<std::uint8_t> sum{this->word(first)};
      const auto got = DivideFinish<TypeParam>::template finish<Element>(sum, divisor);
      for (int i = 0; i < 4; ++i) {
        ASSERT_EQ(this->element(got.bits, i), this->element(sum.bits, i) / divisor)
            << +this->element(sum.bits, i) << " by " << divisor;
      }
    }
  }
}

}  // namespace
}  // namespace rondo::kernels::cuda
