// The promise of data parallelism: the same global batch gives the same losses, however many ranks
// share it, also where they share it unevenly.

#include <gtest/gtest.h>

#include <cmath>

#include "rondo/nn/parallel_executor.h"
#include "small_net.h"
#include "world.h"

namespace rondo::nn {
namespace {

constexpr std::int64_t kSteps = 100;
constexpr std::int64_t kBatch = 23;  // no multiple of any number of ranks

struct CurveSetup {
  DataType dtype;
  std::size_t bucket_bytes = std::size_t{16} << 20;
};

double number(const Tensor& tensor) {
  return tensor.dtype() == DataType::kF64 ? tensor.data<double>()[0]
                                          : static_cast<double>(tensor.data<float>()[0]);
}

ParallelOptions options_for(const CurveSetup& setup) {
  ParallelOptions options;
  options.bucket_bytes = setup.bucket_bytes;
  if (setup.dtype == DataType::kF64) options.executor.library = KernelLibrary::kReference;
  return options;
}

// Losses with all ranks as places of one process.
std::vector<double> places_curve(std::size_t ranks, const CurveSetup& setup) {
  SmallNet net(setup.dtype);
  SGD sgd(0.2);
  net.minimize(sgd);
  Scope scope;
  Executor().run(net.startup, {}, {}, scope);
  auto world = make_world(ranks);
  ParallelExecutor trainer(net.main, net.loss, world, options_for(setup), scope);
  std::vector<double> losses;
  for (std::int64_t i = 0; i < kSteps; ++i) {
    const Feed feed = small_batch(setup.dtype, kBatch * i, kBatch);
    losses.push_back(number(trainer.run(feed, {net.loss}, FetchMode::kMean)[0]));
  }
  return losses;
}

// The same with one place per "process", each building its own program and feeding its own,
// deliberately uneven, shard: rank r of n gets r+1 samples, the last one the rest.
std::vector<double> process_curve(std::size_t ranks, const CurveSetup& setup) {
  auto world = make_world(ranks);
  std::vector<std::vector<double>> losses(ranks);
  as_processes(world, [&](std::size_t rank, Communicator& communicator) {
    SmallNet net(setup.dtype);
    SGD sgd(0.2);
    net.minimize(sgd);
    Scope scope;
    if (rank == 0) Executor().run(net.startup, {}, {}, scope);
    ParallelExecutor trainer(net.main, net.loss, communicator, options_for(setup), scope);
    const auto r = static_cast<std::int64_t>(rank);
    const std::int64_t first = r * (r + 1) / 2;
    const std::int64_t count = rank + 1 == ranks ? kBatch - first : r + 1;
    for (std::int64_t i = 0; i < kSteps; ++i) {
      const Feed feed = small_batch(setup.dtype, kBatch * i + first, count);
      losses[rank].push_back(number(trainer.run(feed, {net.loss}, FetchMode::kMean)[0]));
    }
  });
  for (std::size_t rank = 1; rank < ranks; ++rank) EXPECT_EQ(losses[rank], losses[0]);
  return losses[0];
}

std::vector<double> plain_curve(const CurveSetup& setup) {
  SmallNet net(setup.dtype);
  SGD sgd(0.2);
  net.minimize(sgd);
  Scope scope;
  Executor executor(Device::host(), options_for(setup).executor);
  executor.run(net.startup, {}, {}, scope);
  std::vector<double> losses;
  for (std::int64_t i = 0; i < kSteps; ++i) {
    const Feed feed = small_batch(setup.dtype, kBatch * i, kBatch);
    losses.push_back(number(executor.run(net.main, feed, {net.loss}, scope)[0]));
  }
  return losses;
}

void expect_same(const std::vector<double>& got, const std::vector<double>& expected,
                 double relative) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], expected[i], relative * std::abs(expected[i])) << "step " << i;
  }
}

class SameCurve : public testing::TestWithParam<std::size_t> {};

// Rounding: 2e-16 per operation, some thousand of them in 100 steps.
TEST_P(SameCurve, InF64_WithinRounding) {
  const CurveSetup setup{DataType::kF64};
  const auto expected = plain_curve(setup);
  EXPECT_LT(expected.back(), 0.6 * expected.front());
  expect_same(places_curve(GetParam(), setup), expected, 1e-10);
  expect_same(process_curve(GetParam(), setup), expected, 1e-10);
}

TEST_P(SameCurve, InF32_WithinRounding) {
  const CurveSetup setup{DataType::kF32};
  const auto expected = plain_curve(setup);
  expect_same(places_curve(GetParam(), setup), expected, 1e-5);
  expect_same(process_curve(GetParam(), setup), expected, 1e-5);
}

TEST_P(SameCurve, WithOneBucketPerGradient_IsTheSameToo) {
  expect_same(places_curve(GetParam(), {DataType::kF64, 1}), plain_curve({DataType::kF64}), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Ranks, SameCurve, testing::Values(1, 2, 3, 4));

}  // namespace
}  // namespace rondo::nn
