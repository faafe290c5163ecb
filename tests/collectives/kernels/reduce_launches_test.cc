// Reductions of more sources and targets than one launch takes: the host's bits, by as many
// launches as it takes, also where targets are sources; and what can't be had so is refused.

#include "collectives/kernels/cuda/reduce_launches.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "collectives/kernels/cuda/host_kernels.h"
#include "collectives/kernels/cuda/kernel_name.h"
#include "collectives/kernels/cuda/reduce_parameters.h"
#include "core/dtype.h"
#include "tests/collectives/kernels/reduce_oracle.h"

namespace rondo::kernels {
namespace {

constexpr std::size_t kCount = 37;
constexpr std::size_t kNone = ~std::size_t{0};
constexpr std::array kOps = {ReduceOp::kSum,   ReduceOp::kProd,  ReduceOp::kMin,
                             ReduceOp::kMax,   ReduceOp::kAvg,   ReduceOp::kBitAnd,
                             ReduceOp::kBitOr, ReduceOp::kBitXor};

struct Shape {
  std::size_t sources;
  std::size_t targets;
  std::size_t in_place = kNone;  ///< the first target is this source, the next the next one
};

template <class T>
class ReduceLaunches : public testing::Test {
 protected:
  /// Every target beside what the host makes of the sources; the status of the launches.
  Status check(ReduceOp op, const Shape& shape) {
    SCOPED_TRACE(testing::Message() << to_string(op) << " of " << shape.sources << " sources to "
                                    << shape.targets << " targets");
    std::vector<std::vector<T>> data, results(shape.targets, std::vector<T>(kCount));
    std::vector<const void*> sources;
    std::vector<void*> targets;
    for (std::size_t s = 0; s < shape.sources; ++s) data.push_back(random_data<T>(kCount, 9 + s));
    for (auto& source : data) sources.push_back(source.data());
    for (std::size_t t = 0; t < shape.targets; ++t) {
      auto& own = shape.in_place == kNone ? results[t] : data[(shape.in_place + t) % data.size()];
      targets.push_back(own.data());
    }
    const int divisor = op == ReduceOp::kAvg ? 7 : 1;
    const ReduceArguments arguments{sources, targets, kCount, divisor};
    const std::vector<T> want = by_the_host(op, arguments);
    Status status = launch(op, arguments);
    if (!status.ok()) return status;
    for (const void* target : targets) {
      for (std::size_t i = 0; i < kCount; ++i)
        EXPECT_TRUE(same_value(static_cast<const T*>(target)[i], want[i])) << "element " << i;
      if (this->HasFailure()) return {};
    }
    return {};
  }

 private:
  static std::vector<T> by_the_host(ReduceOp op, ReduceArguments arguments) {
    std::vector<T> result(kCount);
    void* const target = result.data();
    arguments.targets = {&target, 1};
    (*find_reduce_kernel(DeviceKind::kHost, type_of<T>(), op))(arguments);
    return result;
  }
  static Status launch(ReduceOp op, const ReduceArguments& arguments) {
    const DataType type = type_of<T>();
    const auto kernel = cuda::find_host_kernel(cuda::kernel_name("reduce", type, op));
    return cuda::launch_in_parts(type, op, arguments, [kernel](const ReduceArguments& part) {
      cuda::ReduceParameters parameters{};
      EXPECT_LE(part.sources.size() + part.targets.size(), cuda::ReduceParameters::kMostPointers);
      std::size_t next = 0;
      for (const void* source : part.sources)
        parameters.pointers[next++] = const_cast<void*>(source);
      for (void* target : part.targets) parameters.pointers[next++] = target;
      parameters.sources = static_cast<std::uint32_t>(part.sources.size());
      parameters.targets = static_cast<std::uint32_t>(part.targets.size());
      parameters.count = part.count;
      parameters.divisor = part.divisor;
      kernel({2, 4}, &parameters, nullptr);
      return Status();
    });
  }
};

using Elements = testing::Types<float, double, Half, Bfloat, std::int8_t, std::uint8_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(ReduceLaunches, Elements);

TYPED_TEST(ReduceLaunches, OfManyTargets_HaveTheHostsBits) {
  for (const ReduceOp op : kOps) {
    if (!is_combined_by(type_of<TypeParam>(), op)) continue;
    for (const Shape& shape : {Shape{61, 61}, {119, 1}, {119, 2}, {2, 400}, {70, 70, 0}})
      EXPECT_TRUE(this->check(op, shape).ok());
    if (this->HasFailure()) return;
  }
}

/// What can always be launched is: also where all targets are sources, as in a direct all-reduce
/// in place, or the only one is a source that comes late.
TYPED_TEST(ReduceLaunches, OfManySources_HaveTheHostsBits_OrAreRefused) {
  const DataType type = type_of<TypeParam>();
  for (const ReduceOp op : kOps) {
    if (!is_combined_by(type, op)) continue;
    for (const Shape& shape :
         {Shape{120, 1}, {130, 130}, {130, 130, 125}, {400, 400, 390}, {400, 1, 399}}) {
      const Status status = this->check(op, shape);
      const bool always = cuda::always_launches(type, op, shape.sources, shape.targets);
      EXPECT_TRUE(status.ok() || !always) << to_string(op) << status.to_string();
      if (!status.ok()) {
        EXPECT_NE(status.message().find("RONDO_ALGO"), std::string::npos) << status.message();
      }
    }
    if (this->HasFailure()) return;
  }
}

TEST(ReduceLaunchesOf, WhatIsRoundedOnce_AreRefused_AsAreSourcesThatWouldBeLost) {
  using enum DataType;
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kAvg}) {
    EXPECT_TRUE(cuda::always_launches(kF16, op, 119, 119));
    EXPECT_FALSE(cuda::always_launches(kF16, op, 120, 120));
    EXPECT_FALSE(cuda::always_launches(kBF16, op, 120, 120));
    EXPECT_TRUE(cuda::always_launches(kF32, op, 120, 120));
    EXPECT_FALSE(cuda::always_launches(kF32, op, 120, 1));
    EXPECT_TRUE(cuda::always_launches(kI8, op, 120, 1));
  }
  EXPECT_TRUE(cuda::always_launches(kBF16, ReduceOp::kMax, 120, 1));
}

}  // namespace
}  // namespace rondo::kernels
