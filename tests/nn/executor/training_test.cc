#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rondo/error.h"
#include "small_net.h"

namespace rondo::nn {
namespace {

// Losses of `steps` steps on batches of 32.
std::vector<double> train(DataType dtype, KernelLibrary library, Optimizer& optimizer,
                          std::int64_t steps) {
  SmallNet net(dtype);
  net.minimize(optimizer);
  ExecutorOptions options;
  options.library = library;
  Executor executor(Device::host(), options);
  Scope scope;
  executor.run(net.startup, {}, {}, scope);
  std::vector<double> losses;
  for (std::int64_t i = 0; i < steps; ++i) {
    const Tensor loss =
        executor.run(net.main, small_batch(dtype, 32 * i, 32), {net.loss}, scope)[0];
    losses.push_back(dtype == DataType::kF64 ? loss.data<double>()[0]
                                             : static_cast<double>(loss.data<float>()[0]));
  }
  return losses;
}

TEST(Training, OfSeparablePoints_LowersTheLossAndPredictsWell) {
  SmallNet net;
  Momentum momentum(0.1, 0.9);
  net.minimize(momentum);
  Executor executor;
  Scope scope;
  executor.run(net.startup, {}, {}, scope);
  const Program test = net.main.clone(true);
  const Feed unseen = small_batch(DataType::kF32, 1'000'000, 500);
  const auto before = executor.run(test, unseen, {net.loss, net.right}, scope);
  for (std::int64_t i = 0; i < 300; ++i) {
    executor.run(net.main, small_batch(DataType::kF32, 32 * i, 32), {}, scope);
  }
  const auto after = executor.run(test, unseen, {net.loss, net.right}, scope);
  EXPECT_LT(after[0].data<float>()[0], 0.25F * before[0].data<float>()[0]);
  EXPECT_GT(after[1].data<float>()[0], 0.93F);
}

TEST(Training, CloneForTest_ChangesNothing) {
  SmallNet net;
  SGD sgd(0.1);
  net.minimize(sgd);
  Executor executor;
  Scope scope;
  executor.run(net.startup, {}, {}, scope);
  const auto before = scope.value("fc_0.w_0").to_vector<float>();
  executor.run(net.main.clone(true), small_batch(DataType::kF32, 0, 8), {net.loss}, scope);
  EXPECT_EQ(scope.value("fc_0.w_0").to_vector<float>(), before);
  executor.run(net.main, small_batch(DataType::kF32, 0, 8), {net.loss}, scope);
  EXPECT_NE(scope.value("fc_0.w_0").to_vector<float>(), before);
}

// 20 steps keep the rounding of f32 (6e-8 per operation) below 1e-4 of a loss of size 1.
TEST(Training, WithEveryLibrary_HasTheSameLossCurve) {
  SGD exact(0.2);
  SGD reference(0.2);
  SGD onednn(0.2);
  const auto expected = train(DataType::kF64, KernelLibrary::kReference, exact, 20);
  const auto plain = train(DataType::kF32, KernelLibrary::kReference, reference, 20);
  const auto fast = train(DataType::kF32, KernelLibrary::kOneDnn, onednn, 20);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(plain[i], expected[i], 1e-4);
    EXPECT_NEAR(fast[i], expected[i], 1e-4);
  }
}

TEST(Training, Twice_HasTheSameBits) {
  SGD first(0.2);
  SGD second(0.2);
  EXPECT_EQ(train(DataType::kF32, KernelLibrary::kAuto, first, 20),
            train(DataType::kF32, KernelLibrary::kAuto, second, 20));
}

TEST(Training, InF64WithOneDnnInsistedOn_IsUnsupported) {
  SGD sgd(0.2);
  try {
    train(DataType::kF64, KernelLibrary::kOneDnn, sgd, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
    EXPECT_THAT(error.what(), testing::HasSubstr("f64"));
  }
}

}  // namespace
}  // namespace rondo::nn
