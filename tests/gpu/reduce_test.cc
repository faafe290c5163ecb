// The reduce kernels on CUDA devices: the host's bits, for every type and op, wherever the memory
// lies. On a GPU, and on the driver that is acted.

#include "collectives/kernels/reduce.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "collectives/kernels/device_reduce.h"
#include "core/device/driver.h"
#include "core/dtype.h"
#include "tests/collectives/kernels/reduce_oracle.h"

namespace rondo::kernels {
namespace {

constexpr Device kDevice{DeviceKind::kCuda, 0};
constexpr std::array kOps = {ReduceOp::kSum,   ReduceOp::kProd,  ReduceOp::kMin,
                             ReduceOp::kMax,   ReduceOp::kAvg,   ReduceOp::kBitAnd,
                             ReduceOp::kBitOr, ReduceOp::kBitXor};

template <class T>
class GpuReduce : public testing::Test {
 protected:
  struct Shape {
    std::size_t count;
    std::size_t sources;
    std::size_t skew;
    std::size_t targets = 1;
  };
  void check(ReduceOp op, const Shape& shape) {
    const std::size_t bytes = (shape.count + shape.skew) * sizeof(T);
    std::vector<std::vector<T>> data;
    std::vector<DeviceMemory> memory;
    std::vector<const void*> on_host, on_device;
    Stream stream(kDevice);
    for (std::size_t s = 0; s < shape.sources; ++s) {
      data.push_back(random_data<T>(shape.count + shape.skew, 3 + s));
      memory.emplace_back(kDevice, bytes);
      stream.copy(memory[s].data(), data[s].data(), bytes);
      on_host.push_back(data[s].data() + shape.skew);
      on_device.push_back(static_cast<T*>(memory[s].data()) + shape.skew);
    }
    const int divisor = op == ReduceOp::kAvg ? 7 : 1;
    // What lies before the target stays as it is.
    std::vector<T> want = random_data<T>(shape.count + shape.skew, 1), got(want.size());
    std::vector<DeviceMemory> results;
    std::vector<void*> device_targets;
    for (std::size_t t = 0; t < shape.targets; ++t) {
      stream.copy(results.emplace_back(kDevice, bytes).data(), want.data(), bytes);
      device_targets.push_back(static_cast<T*>(results.back().data()) + shape.skew);
    }
    stream.synchronize();
    void* host_target = want.data() + shape.skew;
    (*find_reduce_kernel(DeviceKind::kHost, type_of<T>(), op))(
        {on_host, {&host_target, 1}, shape.count, divisor});
    const auto kernel = find_device_reduce_kernel(kDevice.kind, type_of<T>(), op);
    ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
    const Status launched = (*kernel)(detail::DeviceAccess::stream(stream),
                                      {on_device, device_targets, shape.count, divisor});
    ASSERT_TRUE(launched.ok()) << launched.to_string();
    for (std::size_t t = 0; t < shape.targets; ++t) {
      stream.copy(got.data(), results[t].data(), bytes);
      stream.synchronize();
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_TRUE(same_value(got[i], want[i]))
            << to_string(op) << ", element " << i << " of target " << t;
    }
  }
};

using Elements = testing::Types<float, double, Half, Bfloat, std::int8_t, std::uint8_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(GpuReduce, Elements);

TYPED_TEST(GpuReduce, EveryOp_HasTheHostsBits) {
  for (const ReduceOp op : kOps) {
    if (!is_combined_by(type_of<TypeParam>(), op)) continue;
    for (const std::size_t count : {1u, 255u, 70'001u}) {
      this->check(op, {count, 2, 0});
      this->check(op, {count, 5, 3});
      if (this->HasFatalFailure()) return;
    }
  }
}

// As a rank of a direct all-reduce stores to its peers; and more than one launch takes.
TYPED_TEST(GpuReduce, SeveralTargets_HaveTheHostsBits) {
  for (const ReduceOp op : kOps) {
    if (!is_combined_by(type_of<TypeParam>(), op)) continue;
    this->check(op, {1'500, 3, 0, 3});
    this->check(op, {1'021, 8, 1, 8});
    if (op == ReduceOp::kSum || op == ReduceOp::kMax) this->check(op, {300, 65, 0, 65});
    if (this->HasFatalFailure()) return;
  }
}

/// Every bit pattern of 16 bits: what a device's own conversions do with them.
template <class T>
void check_all_halves(ReduceOp op) {
  std::vector<T> a(1 << 16), b(1 << 16), want(1 << 16), got(1 << 16);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto bits = static_cast<std::uint16_t>(i), zero = std::uint16_t{0};
    std::memcpy(static_cast<void*>(&a[i]), &bits, 2);
    std::memcpy(static_cast<void*>(&b[i]), &zero, 2);
  }
  Stream stream(kDevice);
  const DeviceMemory left(kDevice, 1 << 17), right(kDevice, 1 << 17);
  stream.copy(left.data(), a.data(), 1 << 17);
  stream.copy(right.data(), b.data(), 1 << 17);
  const std::array<const void*, 2> on_host = {a.data(), b.data()};
  const std::array<const void*, 2> on_device = {left.data(), right.data()};
  void* host_target = want.data();
  void* device_target = left.data();
  (*find_reduce_kernel(DeviceKind::kHost, type_of<T>(), op))(
      {on_host, {&host_target, 1}, a.size(), 1});
  throw_if_error((*find_device_reduce_kernel(kDevice.kind, type_of<T>(), op))(
      detail::DeviceAccess::stream(stream), {on_device, {&device_target, 1}, a.size(), 1}));
  stream.copy(got.data(), left.data(), 1 << 17);
  stream.synchronize();
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_TRUE(same_value(got[i], want[i])) << to_string(op) << " of bits " << i;
}

TEST(GpuHalves, EveryPattern_HasTheHostsBits) {
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMin, ReduceOp::kMax}) {
    check_all_halves<Half>(op);
    check_all_halves<Bfloat>(op);
  }
}

}  // namespace
}  // namespace rondo::kernels
