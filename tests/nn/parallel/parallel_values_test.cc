// Who has which values when: first ones, after steps, and set by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rondo/error.h"
#include "rondo/nn/parallel_executor.h"
#include "small_net.h"
#include "world.h"

namespace rondo::nn {
namespace {

std::vector<float> weights(const Scope& scope) {
  return scope.value("fc_0.w_0").to_vector<float>();
}

struct TrainedNet : SmallNet {
  TrainedNet() { minimize(momentum); }
  Momentum momentum{0.1, 0.9};
};

TEST(ParallelExecutor_New, GivesEveryRankTheValuesOfRankZero) {
  auto world = make_world(3);
  std::vector<std::vector<float>> started(3);
  std::vector<float> first;
  as_processes(world, [&](std::size_t rank, Communicator& communicator) {
    TrainedNet net;
    Scope scope;
    if (rank != 1) {  // rank 1 never runs the startup program, rank 2 has other values
      net.startup.set_random_seed(100 + rank);
      Executor().run(net.startup, {}, {}, scope);
    }
    if (rank == 0) first = weights(scope);
    const ParallelExecutor trainer(net.main, net.loss, communicator, {}, scope);
    started[rank] = weights(scope);
  });
  for (const auto& values : started) EXPECT_EQ(values, first);
}

TEST(ParallelExecutor_New, WithoutValuesOnRankZero_FailsOnEveryRank) {
  auto world = make_world(2);
  std::vector<std::string> errors(2);
  as_processes(world, [&](std::size_t rank, Communicator& communicator) {
    TrainedNet net;
    Scope scope;
    if (rank == 1) Executor().run(net.startup, {}, {}, scope);
    try {
      const ParallelExecutor trainer(net.main, net.loss, communicator, {}, scope);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      errors[rank] = error.what();
    }
  });
  for (const auto& error : errors) EXPECT_THAT(error, testing::HasSubstr("startup program"));
}

TEST(ParallelExecutor_New, WithDifferentPrograms_FailsOnEveryRank) {
  auto world = make_world(2);
  std::vector<ErrorCode> codes(2, ErrorCode::kOk);
  as_processes(world, [&](std::size_t rank, Communicator& communicator) {
    TrainedNet net;
    Scope scope;
    Executor().run(net.startup, {}, {}, scope);
    if (rank == 1) net.main.global_block().mutable_ops().pop_back();
    try {
      const ParallelExecutor trainer(net.main, net.loss, communicator, {}, scope);
    } catch (const Error& error) {
      codes[rank] = error.code();
    }
  });
  EXPECT_EQ(codes, (std::vector<ErrorCode>(2, ErrorCode::kMismatch)));
}

class OnThreePlaces : public testing::Test {
 protected:
  OnThreePlaces() { Executor().run(net_.startup, {}, {}, scope_); }
  TrainedNet net_;
  Scope scope_;
  std::vector<Communicator> world_ = make_world(3);
};

TEST_F(OnThreePlaces, ParametersKeepTheSameBits) {
  ParallelExecutor trainer(net_.main, net_.loss, world_, {}, scope_);
  const auto before = weights(scope_);
  for (std::int64_t i = 0; i < 20; ++i) {
    trainer.run(small_batch(DataType::kF32, 10 * i, 10), {});
  }
  EXPECT_NE(weights(scope_), before);
  EXPECT_EQ(&trainer.scope(0), &scope_);
  for (int place = 1; place < 3; ++place) {
    for (const char* name : {"fc_0.w_0", "fc_1.b_0", "fc_0.w_0_velocity_0"}) {
      EXPECT_EQ(trainer.scope(place).value(name).to_vector<float>(),
                scope_.value(name).to_vector<float>());
    }
  }
}

TEST_F(OnThreePlaces, AssignReachesEveryPlace) {
  ParallelExecutor trainer(net_.main, net_.loss, world_, {}, scope_);
  trainer.assign(net_.momentum.learning_rate(), Tensor::from<float>({0}, {1}));
  const auto before = weights(scope_);
  trainer.run(small_batch(DataType::kF32, 0, 10), {});
  for (int place = 0; place < 3; ++place) EXPECT_EQ(weights(trainer.scope(place)), before);
}

TEST_F(OnThreePlaces, ProgramIsCopied) {
  ParallelExecutor trainer(net_.main, net_.loss, world_, {}, scope_);
  net_.main.global_block().mutable_ops().clear();
  EXPECT_EQ(trainer.run(small_batch(DataType::kF32, 0, 10), {net_.loss}).size(), 1U);
}

TEST_F(OnThreePlaces, TestProgramSharesTheValues) {
  const Program test = net_.main.clone(true);
  ParallelExecutor trainer(net_.main, net_.loss, world_, {}, scope_);
  ParallelExecutor tester(test, trainer);
  const Feed feed = small_batch(DataType::kF32, 0, 30);
  const auto loss = [&] {
    return tester.run(feed, {net_.loss}, FetchMode::kMean)[0].data<float>()[0];
  };
  const float before = loss();
  EXPECT_EQ(loss(), before);
  for (int i = 0; i < 30; ++i) trainer.run(feed, {});
  EXPECT_LT(loss(), before);
}

}  // namespace
}  // namespace rondo::nn
