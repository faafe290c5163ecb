// Feeding, fetching, scaling of gradients, and what a run may build.

#include "rondo/nn/parallel_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "nn/ops/gradient.h"
#include "rondo/error.h"
#include "small_net.h"
#include "world.h"

namespace rondo::nn {
namespace {

using testing::HasSubstr;

class ParallelRun : public testing::Test {
 protected:
  ParallelRun() {
    net_.minimize(sgd_);
    Executor().run(net_.startup, {}, {}, scope_);
  }

  // One step on 3 places with this scale; how far the first bias of the last layer moved.
  double move(GradientScale scale, const Feed& more = {}) {
    Scope scope;
    Executor().run(net_.startup, {}, {}, scope);
    ParallelOptions options;
    options.gradient_scale = scale;
    ParallelExecutor trainer(net_.main, net_.loss, world_, options, scope);
    Feed feed = small_batch(DataType::kF64, 0, 12);
    feed.insert(more.begin(), more.end());
    trainer.run(feed, {});
    return scope.value("fc_1.b_0").data<double>()[0];
  }

  SmallNet net_{DataType::kF64};
  SGD sgd_{0.5};
  Scope scope_;
  std::vector<Communicator> world_ = make_world(3);
};

TEST_F(ParallelRun, LocalFetch_IsOnePlaceAfterTheOther) {
  ParallelExecutor trainer(net_.main, net_.loss, world_, {}, scope_);
  const auto got = trainer.run(small_batch(DataType::kF64, 0, 7), {net_.loss, net_.prediction});
  EXPECT_EQ(got[0].dims(), Dims{3});
  EXPECT_EQ(got[1].dims(), (Dims{7, 3}));
}

TEST_F(ParallelRun, LocalFetch_KeepsTheOrderOfTheBatch) {
  const Program test = net_.main.clone(true);
  ParallelExecutor tester(test, "", world_, {}, scope_);
  const Feed feed = small_batch(DataType::kF64, 0, 7);
  const Tensor expected = Executor().run(test, feed, {net_.prediction}, scope_)[0];
  EXPECT_EQ(tester.run(feed, {net_.prediction})[0].to_vector<double>(),
            expected.to_vector<double>());
}

TEST_F(ParallelRun, UnmergedFetch_KeepsPlacesApart) {
  ParallelExecutor trainer(net_.main, net_.loss, world_, {}, scope_);
  const auto got = trainer.run_unmerged(small_batch(DataType::kF64, 0, 7), {net_.prediction});
  ASSERT_EQ(got.size(), 3U);
  EXPECT_EQ(got[0][0].dims(), (Dims{2, 3}));
  EXPECT_EQ(got[2][0].dims(), (Dims{3, 3}));
}

TEST_F(ParallelRun, MeanFetch_IsWeightedBySamples) {
  const Program test = net_.main.clone(true);
  ParallelExecutor tester(test, "", world_, {}, scope_);
  const Feed feed = small_batch(DataType::kF64, 0, 7);
  const auto expected = Executor().run(test, feed, {net_.loss, net_.right}, scope_);
  const auto got = tester.run(feed, {net_.loss, net_.right}, FetchMode::kMean);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(got[i].dims(), Dims{1});
    EXPECT_NEAR(got[i].data<double>()[0], expected[i].data<double>()[0], 1e-14);
  }
}

TEST_F(ParallelRun, MeanFetchOfIntegers_IsAnError) {
  ParallelExecutor trainer(net_.main, net_.loss, world_, {}, scope_);
  EXPECT_THROW(trainer.run(small_batch(DataType::kF64, 0, 6), {"label"}, FetchMode::kMean), Error);
}

TEST_F(ParallelRun, FewerSamplesThanPlaces_IsAnErrorBeforeAnythingRuns) {
  ParallelExecutor trainer(net_.main, net_.loss, world_, {}, scope_);
  EXPECT_THROW(trainer.run(small_batch(DataType::kF64, 0, 2), {}), Error);
  EXPECT_EQ(trainer.run(small_batch(DataType::kF64, 0, 6), {net_.loss}).size(), 1U);
}

// As processes: each rank has an executor of its own, so that what one of them refuses the others
// can only learn from it.
std::vector<std::string> errors_of(std::vector<Communicator>& world,
                                   const std::function<void(Communicator&)>& work) {
  std::vector<std::string> errors(world.size());
  as_processes(world, [&](std::size_t rank, Communicator& communicator) {
    try {
      work(communicator);
    } catch (const Error& error) {
      errors[rank] = error.what();
    }
  });
  return errors;
}

TEST_F(ParallelRun, BadFeedOnOneRank_MayBeMendedWhileTheOthersWait) {
  const auto errors = errors_of(world_, [&](Communicator& communicator) {
    Scope scope;
    Executor().run(net_.startup, {}, {}, scope);
    ParallelExecutor trainer(net_.main, net_.loss, communicator, {}, scope);
    if (communicator.rank() == 1) {
      Feed feed = small_batch(DataType::kF64, 0, 4);
      EXPECT_THROW(trainer.run(feed, {"nothing"}), Error);
      feed["label"] = Tensor(DataType::kI64, {0, 1});
      EXPECT_THROW(trainer.run(feed, {}), Error);
    }
    trainer.run(small_batch(DataType::kF64, 0, 4), {net_.loss});
  });
  EXPECT_EQ(errors, std::vector<std::string>(3));
}

TEST_F(ParallelRun, ErrorOnOneRankInTheMiddle_IsTheOthersErrorToo) {
  const auto errors = errors_of(world_, [&](Communicator& communicator) {
    Scope scope;
    Executor().run(net_.startup, {}, {}, scope);
    ParallelExecutor trainer(net_.main, net_.loss, communicator, {}, scope);
    Feed feed = small_batch(DataType::kF64, 0, 4);
    if (communicator.rank() == 1) feed.erase("label");
    trainer.run(feed, {net_.loss});
  });
  for (const std::string& error : errors) EXPECT_THAT(error, HasSubstr("'label'"));
  EXPECT_THAT(errors[0], HasSubstr("rank 1 gave up"));
}

TEST_F(ParallelRun, ScopeOfOneRankIsAnother_StartIsAnErrorOnAllRanks) {
  const auto errors = errors_of(world_, [&](Communicator& communicator) {
    Scope scope;
    Executor().run(net_.startup, {}, {}, scope);
    if (communicator.rank() == 0) scope.var("fc_1.b_0") = Tensor(DataType::kF64, {99});
    const ParallelExecutor trainer(net_.main, net_.loss, communicator, {}, scope);
  });
  for (const std::string& error : errors) EXPECT_THAT(error, HasSubstr("'fc_1.b_0'"));
}

TEST_F(ParallelRun, GradientScales) {
  const double weighted = move(GradientScale::kCoeffNumDevice);
  EXPECT_NE(weighted, 0);
  EXPECT_NEAR(move(GradientScale::kOne), 3 * weighted, 1e-14);
  const Feed half = {{grad_name(net_.loss.name()), Tensor::from<double>({0.5}, {1})}};
  EXPECT_NEAR(move(GradientScale::kCustomized, half), 1.5 * weighted, 1e-14);
  EXPECT_THROW(move(GradientScale::kCustomized), Error);
}

TEST_F(ParallelRun, EqualShards_GiveTheSameStepWithoutCounting) {
  const auto sent = [&] { return world_[0].traffic()[0].sent_bytes; };
  const auto sent_in_a_run = [&](bool equal_shards) {
    Scope scope;
    Executor().run(net_.startup, {}, {}, scope);
    ParallelOptions options;
    options.equal_shards = equal_shards;
    ParallelExecutor trainer(net_.main, net_.loss, world_, options, scope);
    const auto before = sent();
    trainer.run(small_batch(DataType::kF64, 0, 12), {});
    const auto values = scope.value("fc_1.b_0").to_vector<double>();
    return std::make_pair(sent() - before, values[0]);
  };
  const auto counted = sent_in_a_run(false);
  const auto promised = sent_in_a_run(true);
  EXPECT_LT(promised.first, counted.first);
  EXPECT_NEAR(promised.second, counted.second, 1e-14);
}

TEST_F(ParallelRun, BucketsHaveTheSizesAskedFor) {
  ParallelOptions options;
  options.bucket_bytes = 64 * sizeof(double);
  const ParallelExecutor trainer(net_.main, net_.loss, world_, options, scope_);
  EXPECT_EQ(trainer.bucket_sizes(),
            (std::vector<std::size_t>{64 * sizeof(double), 48 * sizeof(double)}));
}

TEST_F(ParallelRun, SteadyState_BuildsNothing) {
  ParallelExecutor trainer(net_.main, net_.loss, world_, {}, scope_);
  const auto after_run = [&] {
    trainer.run(small_batch(DataType::kF64, 0, 12), {net_.loss}, FetchMode::kMean);
    return trainer.stats(1);
  };
  const ExecutorStats first = after_run();
  const ExecutorStats second = after_run();
  EXPECT_EQ(first.programs_compiled, 1U);
  EXPECT_EQ(second.programs_compiled, 1U);
  EXPECT_EQ(second.buffers_allocated, first.buffers_allocated);
}

}  // namespace
}  // namespace rondo::nn
