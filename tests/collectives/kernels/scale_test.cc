#include "collectives/kernels/scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "collectives/kernels/instruction_set.h"
#include "tests/collectives/kernels/half_elements.h"

namespace rondo::kernels {
namespace {

/// By definition: one product, in the type that elements are combined in, rounded to the element.
template <class T>
T scaled(T x, double factor) {
  if constexpr (std::is_same_v<T, double>) {
    return x * factor;
  } else {
    return T(static_cast<float>(+x) * static_cast<float>(factor));
  }
}

/// Of all magnitudes, both zeros, denormals and infinities.
template <class T>
std::vector<T> elements(std::size_t count) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> draw(-2, 2);
  std::vector<T> list = {T(0.F),
                         T(-0.F),
                         std::numeric_limits<T>::infinity(),
                         T(1.F),
                         std::numeric_limits<T>::denorm_min(),
                         T(-3.F),
                         std::numeric_limits<T>::max()};
  while (list.size() < count) {
    list.push_back(T(std::ldexp(draw(random), static_cast<int>(list.size() % 30) - 17)));
  }
  list.resize(count);
  return list;
}

template <class T>
bool same_bits(const T* a, const T* b, std::size_t count) {
  return count == 0 || std::memcmp(a, b, count * sizeof(T)) == 0;
}

template <class T>
class Scale : public ::testing::Test {};
using Types = ::testing::Types<float, double, Half, Bfloat>;
TYPED_TEST_SUITE(Scale, Types);

TYPED_TEST(Scale, EveryCountAndSkew_OnEveryInstructionSet_IsTheRoundedProduct) {
  using T = TypeParam;
  const InstructionSet before = instruction_set();
  const auto data = elements<T>(200);
  for (const InstructionSet set : instruction_sets_here()) {
    set_instruction_set(set);
    const ScaleKernel kernel = find_scale_kernel(type_of<T>());
    ASSERT_NE(kernel, nullptr);
    for (const double factor : {0.3, -1.7e-3, 1.0 / 3, 0.0, 2.0}) {
      for (std::size_t count = 0; count < 140; ++count) {
        const std::size_t skew = count % 5;
        std::vector<T> want, out(count + 1, T(77.F)), in_place(data);
        for (std::size_t i = 0; i < count; ++i) want.push_back(scaled(data[skew + i], factor));
        kernel(data.data() + skew, out.data(), count, factor);
        kernel(in_place.data() + skew, in_place.data() + skew, count, factor);
        // An infinity times zero is some NaN.
        const bool exact = factor != 0.0;
        ASSERT_TRUE(!exact || same_bits(out.data(), want.data(), count)) << count << " " << factor;
        ASSERT_TRUE(same_bits(out.data(), in_place.data() + skew, count)) << count;
        ASSERT_TRUE(out[count] == T(77.F)) << "wrote behind the end of " << count;
      }
    }
  }
  set_instruction_set(before);
}

TEST(Scale, Integers_HaveNone) {
  for (const DataType type : {DataType::kI8, DataType::kU8, DataType::kI32, DataType::kU32,
                              DataType::kI64, DataType::kU64}) {
    EXPECT_EQ(find_scale_kernel(type), nullptr);
  }
}

}  // namespace
}  // namespace rondo::kernels
