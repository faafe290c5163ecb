#include "collectives/kernels/reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "tests/collectives/kernels/reduce_oracle.h"

namespace rondo::kernels {
namespace {

constexpr std::array kAllOps = {ReduceOp::kSum,   ReduceOp::kProd,  ReduceOp::kMin,
                                ReduceOp::kMax,   ReduceOp::kAvg,   ReduceOp::kBitAnd,
                                ReduceOp::kBitOr, ReduceOp::kBitXor};

/// Those that elements of the type have.
template <class T>
std::span<const ReduceOp> ops_of() {
  return std::span(kAllOps).first(kIsFloat<T> ? 5 : kAllOps.size());
}

ReduceKernel kernel_of(DataType type, ReduceOp op, DeviceKind device = DeviceKind::kHost) {
  const Result<ReduceKernel> found = find_reduce_kernel(device, type, op);
  EXPECT_TRUE(found.ok()) << found.status().to_string();
  return found.ok() ? *found : nullptr;
}

/// Memory for one operand, `skew` elements past an aligned address, with guards behind it.
template <class T>
struct Operand {
  static constexpr std::size_t kGuards = 70;
  Operand(const std::vector<T>& data, std::size_t skew_elements)
      : memory(data.size() + skew_elements + kGuards, T(77)), skew(skew_elements) {
    std::copy(data.begin(), data.end(), memory.begin() + static_cast<std::ptrdiff_t>(skew));
  }
  T* data() { return memory.data() + skew; }
  bool guards_intact() const {
    const auto intact = [](T value) { return value == T(77); };
    return std::all_of(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(skew),
                       intact) &&
           std::all_of(memory.end() - static_cast<std::ptrdiff_t>(kGuards), memory.end(), intact);
  }
  std::vector<T> memory;
  std::size_t skew;
};

struct Shape {
  std::size_t count = 0;
  std::size_t sources = 1;
  std::size_t targets = 1;
  std::size_t skew = 0;
  bool in_place = false;  ///< the last target is the last source
};

/// Runs one call on fresh memory and compares every target with the oracle.
template <class T>
void check_call(ReduceOp op, const Shape& shape, const std::vector<std::vector<T>>& data) {
  const int divisor = op == ReduceOp::kAvg ? static_cast<int>(shape.sources) : 1;
  std::vector<Operand<T>> sources, targets;
  std::vector<const void*> source_pointers;
  std::vector<void*> target_pointers;
  for (std::size_t s = 0; s < shape.sources; ++s) {
    sources.emplace_back(
        std::vector<T>(data[s].begin(), data[s].begin() + static_cast<std::ptrdiff_t>(shape.count)),
        (shape.skew + s) % 4);
  }
  for (std::size_t t = 0; t < shape.targets; ++t) {
    targets.emplace_back(std::vector<T>(shape.count), (shape.skew * 3 + t) % 5);
  }
  for (auto& source : sources) source_pointers.push_back(source.data());
  for (auto& target : targets) target_pointers.push_back(target.data());
  if (shape.in_place) target_pointers.back() = sources.back().data();

  const std::vector<T> want =
      expected(op,
               std::vector<std::vector<T>>(
                   data.begin(), data.begin() + static_cast<std::ptrdiff_t>(shape.sources)),
               shape.count, divisor);
  kernel_of(type_of<T>(), op)({source_pointers, target_pointers, shape.count, divisor});
  for (void* pointer : target_pointers) {
    const T* got = static_cast<const T*>(pointer);
    for (std::size_t i = 0; i < shape.count; ++i) {
      ASSERT_TRUE(same_value(got[i], want[i]))
          << to_string(op) << " of " << to_string(type_of<T>()) << ": element " << i << " of "
          << shape.count << ", " << shape.sources << " sources, " << shape.targets
          << " targets, skew " << shape.skew << ", in place " << shape.in_place << ": got "
          << +got[i] << ", want " << +want[i];
    }
  }
  for (const auto& operand : sources) ASSERT_TRUE(operand.guards_intact());
  for (const auto& operand : targets) ASSERT_TRUE(operand.guards_intact());
}

template <class T>
class ReduceKernels : public testing::Test {
 protected:
  static constexpr std::size_t kMostSources = 9;
  ReduceKernels() {
    for (std::size_t s = 0; s < kMostSources; ++s) data_.push_back(random_data<T>(2100, 11 + s));
  }
  /// Every op on this shape, out of place and in place, on every instruction set.
  void check(const Shape& shape) {
    for (const ReduceOp op : ops_of<T>()) {
      check_call<T>(op, shape, data_);
      Shape in_place = shape;
      in_place.in_place = true;
      check_call<T>(op, in_place, data_);
    }
  }
  std::vector<std::vector<T>> data_;
};

using Elements = testing::Types<float, double, Half, Bfloat, std::int8_t, std::uint8_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(ReduceKernels, Elements);

TYPED_TEST(ReduceKernels, EveryRemainder_AnySourcesAndTargets_EqualsPlainLoop) {
  for_each_instruction_set([&](const std::string& name) {
    SCOPED_TRACE(name);
    for (std::size_t count = 0; count <= 70; ++count) {
      for (std::size_t sources = 1; sources <= this->kMostSources; ++sources) {
        this->check({count, sources, 1 + (count + sources) % 3, count % 4});
        if (this->HasFatalFailure()) return;
      }
    }
  });
}

TYPED_TEST(ReduceKernels, BlocksAndTheirRemainders_EveryForm_EqualsPlainLoop) {
  for_each_instruction_set([&](const std::string& name) {
    SCOPED_TRACE(name);
    for (const std::size_t count : {127u, 128u, 129u, 255u, 256u, 257u, 320u, 511u, 1027u, 2100u}) {
      for (std::size_t sources = 1; sources <= this->kMostSources; ++sources) {
        for (std::size_t targets = 1; targets <= 3; ++targets) {
          this->check({count, sources, targets, (count + targets) % 4});
          if (this->HasFatalFailure()) return;
        }
      }
    }
  });
}

TYPED_TEST(ReduceKernels, Extremes_EveryOp_WrapOrSaturateAsDefined) {
  using T = TypeParam;
  const std::vector<T> values = {std::numeric_limits<T>::max(),
                                 std::numeric_limits<T>::lowest(),
                                 T(0),
                                 T(1),
                                 static_cast<T>(-1),
                                 std::numeric_limits<T>::min()};
  std::vector<std::vector<T>> data(3);
  for (std::size_t i = 0; i < 6 * 6 * 6; ++i) {
    data[0].push_back(values[i % 6]);
    data[1].push_back(values[i / 6 % 6]);
    data[2].push_back(values[i / 36]);
  }
  for_each_instruction_set([&](const std::string& name) {
    SCOPED_TRACE(name);
    for (const ReduceOp op : ops_of<T>()) check_call<T>(op, {216, 3, 1, 0}, data);
  });
}

TYPED_TEST(ReduceKernels, Average_DivisorOtherThanSources_DividesOnceAtTheEnd) {
  using T = TypeParam;
  const std::size_t count = 300;
  for (const int divisor : {1, 2, 3, 7, 300}) {
    for (std::size_t source_count = 1; source_count <= 2; ++source_count) {
      std::vector<std::vector<T>> data(
          this->data_.begin(), this->data_.begin() + static_cast<std::ptrdiff_t>(source_count));
      const std::vector<T> want = expected(ReduceOp::kAvg, data, count, divisor);
      std::vector<const void*> sources;
      for (const auto& source : data) sources.push_back(source.data());
      std::vector<T> got(count);
      const std::array<void*, 1> targets = {got.data()};
      kernel_of(type_of<T>(), ReduceOp::kAvg)({sources, targets, count, divisor});
      EXPECT_EQ(got, want) << "divisor " << divisor;
    }
  }
}

TYPED_TEST(ReduceKernels, EmulatedDevice_EveryOp_HasTheHostsKernels) {
  for (const ReduceOp op : ops_of<TypeParam>()) {
    const DataType type = type_of<TypeParam>();
    EXPECT_EQ(kernel_of(type, op, DeviceKind::kEmulated), kernel_of(type, op));
  }
}

template <class T>
class ReduceSpecialFloats : public testing::Test {};
using Floats = testing::Types<float, double, Half, Bfloat>;
TYPED_TEST_SUITE(ReduceSpecialFloats, Floats);

TYPED_TEST(ReduceSpecialFloats, ZerosInfinitiesNans_SameBitsInAnyOrder) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  const std::vector<T> values = {T(0),
                                 T(-0.0),
                                 T(-static_cast<Computed<T>>(Limits::infinity())),
                                 Limits::infinity(),
                                 T(1.5),
                                 T(-static_cast<Computed<T>>(Limits::quiet_NaN())),
                                 Limits::denorm_min()};
  const std::size_t kinds = values.size();
  std::vector<std::vector<T>> data(2);
  for (std::size_t i = 0; i < kinds * kinds * 4; ++i) {
    data[0].push_back(values[i % kinds]);
    data[1].push_back(values[i / kinds % kinds]);
  }
  const std::size_t count = data[0].size();
  for_each_instruction_set([&](const std::string& name) {
    SCOPED_TRACE(name);
    for (const ReduceOp op : ops_of<T>()) {
      check_call<T>(op, {count, 2, 1, 0}, data);
      std::vector<T> forth(count), back(count);
      const std::array<void*, 1> to_forth = {forth.data()}, to_back = {back.data()};
      const std::array<const void*, 2> ab = {data[0].data(), data[1].data()};
      const std::array<const void*, 2> ba = {data[1].data(), data[0].data()};
      kernel_of(type_of<T>(), op)({ab, to_forth, count, 1});
      kernel_of(type_of<T>(), op)({ba, to_back, count, 1});
      EXPECT_EQ(std::memcmp(forth.data(), back.data(), count * sizeof(T)), 0) << to_string(op);
      const T one_nan = Limits::quiet_NaN();
      for (const T& value : forth) {
        if (!std::isnan(static_cast<Computed<T>>(value))) continue;
        // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the bits are what matters
        ASSERT_EQ(std::memcmp(&value, &one_nan, sizeof(T)), 0) << to_string(op);
      }
    }
  });
}

template <class T>
class ReduceHalves : public testing::Test {};
using Halves = testing::Types<Half, Bfloat>;
TYPED_TEST_SUITE(ReduceHalves, Halves);

TYPED_TEST(ReduceHalves, AnyBits_EveryOp_EqualFloatsRoundedOnce) {
  using T = TypeParam;
  std::mt19937 generator(3);
  std::vector<std::vector<T>> data(4, std::vector<T>(50'000));
  for (auto& source : data) {
    for (T& value : source) value = T::of_bits(static_cast<std::uint16_t>(generator()));
  }
  for_each_instruction_set([&](const std::string& name) {
    SCOPED_TRACE(name);
    for (const ReduceOp op : ops_of<T>()) {
      for (std::size_t sources = 1; sources <= 4; ++sources) {
        check_call<T>(op, {50'000, sources, 1, 0}, data);
      }
    }
  });
}

TYPED_TEST(ReduceHalves, SmallAddends_InOneSweep_AreNotLostOneByOne) {
  using T = TypeParam;
  // Alone, neither one is enough to reach the next number.
  const float large = std::is_same_v<T, Half> ? 2048 : 256;
  const std::vector<T> first(100, T(large)), one(100, T(1));
  const std::array<const void*, 3> sources = {first.data(), one.data(), one.data()};
  for_each_instruction_set([&](const std::string& name) {
    std::vector<T> sum(100);
    const std::array<void*, 1> targets = {sum.data()};
    kernel_of(type_of<T>(), ReduceOp::kSum)({sources, targets, 100, 1});
    EXPECT_EQ(sum, std::vector<T>(100, T(large + 2))) << name;
  });
}

TEST(FindReduceKernel, BitsOfFloats_AreUnsupportedAndWhatThereIsIsNamed) {
  for (const DataType type : {DataType::kF16, DataType::kBF16, DataType::kF32, DataType::kF64}) {
    for (const ReduceOp op : {ReduceOp::kBitAnd, ReduceOp::kBitOr, ReduceOp::kBitXor}) {
      const auto found = find_reduce_kernel(DeviceKind::kHost, type, op);
      ASSERT_FALSE(found.ok());
      EXPECT_EQ(found.status().code(), ErrorCode::kUnsupported);
      const std::string what = std::string(to_string(op)) + " of " + to_string(type) + " on";
      EXPECT_NE(found.status().message().find(what), std::string::npos);
      EXPECT_NE(found.status().message().find("floats (f16, bf16, f32, f64) the first five"),
                std::string::npos);
    }
  }
}

TEST(FindReduceKernel, NoEnumerator_IsUnsupported) {
  const auto no_op = static_cast<ReduceOp>(200);
  const auto no_type = static_cast<DataType>(200);
  for (const DataType type : {DataType::kF32, DataType::kI64, no_type}) {
    EXPECT_FALSE(find_reduce_kernel(DeviceKind::kHost, type, no_op).ok());
  }
  EXPECT_FALSE(find_reduce_kernel(DeviceKind::kHost, no_type, ReduceOp::kSum).ok());
  EXPECT_FALSE(find_reduce_kernel(DeviceKind::kHost, no_type, ReduceOp::kBitOr).ok());
}

TEST(FindReduceKernel, DeviceWithoutKernels_IsUnsupportedAndNamesTheDevice) {
  const auto found = find_reduce_kernel(DeviceKind::kCuda, DataType::kF32, ReduceOp::kSum);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.status().code(), ErrorCode::kUnsupported);
  EXPECT_NE(found.status().message().find("cuda"), std::string::npos);
}

TEST(InstructionSets, EachOfThisMachine_HasKernelsOfItsOwn) {
  std::set<ReduceKernel> kernels;
  for_each_instruction_set(
      [&](const std::string&) { kernels.insert(kernel_of(DataType::kF32, ReduceOp::kSum)); });
  EXPECT_EQ(kernels.size(), instruction_sets_here().size());
}

TEST(InstructionSets, WithoutAChoice_TheFastestOfThisMachineIsUsed) {
  EXPECT_EQ(instruction_set(), instruction_sets_here().back());
}

}  // namespace
}  // namespace rondo::kernels
