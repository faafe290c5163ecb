// The CUDA reduce kernels' arithmetic and addressing, run as functions of the host: the same bits
// as the host's own kernels, wherever the pointers lie and however many threads share the work.

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "collectives/kernels/cuda/host_kernels.h"
#include "collectives/kernels/cuda/reduce_parameters.h"
#include "collectives/kernels/reduce.h"
#include "core/dtype.h"
#include "tests/collectives/kernels/reduce_oracle.h"

namespace rondo::kernels {
namespace {

constexpr std::array kOps = {ReduceOp::kSum,   ReduceOp::kProd,  ReduceOp::kMin,
                             ReduceOp::kMax,   ReduceOp::kAvg,   ReduceOp::kBitAnd,
                             ReduceOp::kBitOr, ReduceOp::kBitXor};

std::string name_of(DataType type, ReduceOp op) {
  const std::string operand =
      is_bitwise(op) ? "bits" + std::to_string(8 * size_of(type)) : std::string(to_string(type));
  return "rondo_reduce_" + operand + "_" + to_string(op);
}

struct Shape {
  std::size_t count;
  std::size_t sources;
  std::size_t targets;
  std::size_t skew;  ///< elements past an aligned address
  bool alike;        ///< all operands lie so, not each in its own way
  bool in_place;     ///< the last target is the last source
  cuda::HostGrid grid;
};

/// Room for one operand, and what is in front of it and behind.
template <class T>
struct Operand {
  static constexpr std::size_t kGuards = 64;
  Operand(const std::vector<T>& data, std::size_t skew)
      : memory(data.size() + 2 * kGuards + 16, T(77)) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data() + kGuards);
    first = kGuards + (16 - address % 16) % 16 / sizeof(T) + skew;
    count = data.size();
    std::copy(data.begin(), data.end(), begin());
  }
  auto begin() { return memory.begin() + static_cast<std::ptrdiff_t>(first); }
  T* data() { return memory.data() + first; }
  bool guards_intact() const {
    for (std::size_t i = 0; i < memory.size(); ++i) {
      if ((i < first || i >= first + count) && !(memory[i] == T(77))) return false;
    }
    return true;
  }
  std::vector<T> memory;
  std::size_t first = 0;
  std::size_t count = 0;
};

template <class T>
class CudaReduce : public testing::Test {
 protected:
  void check(ReduceOp op, const Shape& shape) {
    SCOPED_TRACE(std::string(to_string(op)) + " of " + std::to_string(shape.count) + ", " +
                 std::to_string(shape.sources) + " sources, skew " + std::to_string(shape.skew));
    std::vector<Operand<T>> sources, targets;
    for (std::size_t s = 0; s < shape.sources; ++s)
      sources.emplace_back(random_data<T>(shape.count, 5 + s), skew_of(shape, s));
    for (std::size_t t = 0; t < shape.targets; ++t)
      targets.emplace_back(std::vector<T>(shape.count), skew_of(shape, t + 1));
    const std::vector<T> want = by_the_host(op, shape, sources);
    cuda::ReduceParameters parameters = parameters_of(op, shape, sources, targets);
    const cuda::HostKernel kernel = cuda::find_host_kernel(name_of(type_of<T>(), op));
    ASSERT_NE(kernel, nullptr);
    kernel(shape.grid, &parameters, nullptr);
    for (std::size_t t = 0; t < shape.targets; ++t) {
      const T* const got = static_cast<T*>(parameters.pointers[shape.sources + t]);
      for (std::size_t i = 0; i < shape.count; ++i)
        ASSERT_TRUE(same_value(got[i], want[i])) << "element " << i << " of target " << t;
    }
    for (const auto& operand : sources) ASSERT_TRUE(operand.guards_intact());
    for (const auto& operand : targets) ASSERT_TRUE(operand.guards_intact());
  }

 private:
  static std::size_t skew_of(const Shape& shape, std::size_t operand) {
    return shape.alike ? shape.skew : shape.skew + operand % 2;
  }
  static int divisor_of(ReduceOp op, const Shape& shape) {
    return op == ReduceOp::kAvg ? static_cast<int>(shape.sources) + 300 : 1;
  }
  static std::vector<T> by_the_host(ReduceOp op, const Shape& shape,
                                    std::vector<Operand<T>>& sources) {
    std::vector<T> result(shape.count);
    std::vector<const void*> pointers;
    for (auto& source : sources) pointers.push_back(source.data());
    void* target = result.data();
    (*find_reduce_kernel(DeviceKind::kHost, type_of<T>(), op))(
        {pointers, {&target, 1}, shape.count, divisor_of(op, shape)});
    return result;
  }
  static cuda::ReduceParameters parameters_of(ReduceOp op, const Shape& shape,
                                              std::vector<Operand<T>>& sources,
                                              std::vector<Operand<T>>& targets) {
    cuda::ReduceParameters parameters{};
    std::size_t next = 0;
    for (auto& source : sources) parameters.pointers[next++] = source.data();
    for (auto& target : targets) parameters.pointers[next++] = target.data();
    if (shape.in_place) parameters.pointers[next - 1] = sources.back().data();
    parameters.sources = static_cast<std::uint32_t>(shape.sources);
    parameters.targets = static_cast<std::uint32_t>(shape.targets);
    parameters.count = shape.count;
    parameters.divisor = divisor_of(op, shape);
    return parameters;
  }
};

using Elements = testing::Types<float, double, Half, Bfloat, std::int8_t, std::uint8_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(CudaReduce, Elements);

TYPED_TEST(CudaReduce, TilesHeadsAndTails_HoweverTheyLie_HaveTheHostsBits) {
  // With 8 threads a tile has 8 * 4 * 16 bytes at most; and so several blocks have several.
  for (const std::size_t count : {0u, 1u, 5u, 255u, 1500u, 4099u}) {
    for (const std::size_t skew : {0u, 1u, 3u}) {
      for (const bool alike : {true, false}) {
        for (const ReduceOp op : kOps) {
          if (!is_combined_by(type_of<TypeParam>(), op)) continue;
          const std::size_t sources = 1 + (count + skew) % 4;
          this->check(op, {count, sources, 1 + count % 3, skew, alike, skew == 1, {3, 8}});
          if (this->HasFatalFailure()) return;
        }
      }
    }
  }
}

TYPED_TEST(CudaReduce, ManySources_AreCombinedInTheirOrder) {
  for (const ReduceOp op : kOps) {
    if (!is_combined_by(type_of<TypeParam>(), op)) continue;
    this->check(op, {600, 64, 2, 0, true, true, {2, 32}});
    if (this->HasFatalFailure()) return;
  }
}

TEST(CudaReduceOfFloats, ZerosAndNans_AreOrderedAsOnTheHost) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> interesting = {
      0.0F, -0.0F, nan, -nan, 1.0F, -1.0F, 1e-45F, std::numeric_limits<float>::infinity()};
  std::vector<float> a, b;
  for (const float x : interesting) {
    for (const float y : interesting) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  for (const ReduceOp op : {ReduceOp::kMin, ReduceOp::kMax}) {
    std::vector<float> want(a.size()), got(a.size());
    const std::array<const void*, 2> sources = {a.data(), b.data()};
    void* target = want.data();
    (*find_reduce_kernel(DeviceKind::kHost, DataType::kF32, op))(
        {sources, {&target, 1}, a.size(), 1});
    cuda::ReduceParameters parameters{};
    parameters.pointers[0] = a.data();
    parameters.pointers[1] = b.data();
    parameters.pointers[2] = got.data();
    parameters.sources = 2;
    parameters.targets = 1;
    parameters.count = a.size();
    cuda::find_host_kernel(name_of(DataType::kF32, op))({1, 4}, &parameters, nullptr);
    EXPECT_EQ(std::memcmp(want.data(), got.data(), want.size() * sizeof(float)), 0)
        << to_string(op);
  }
}

}  // namespace
}  // namespace rondo::kernels
