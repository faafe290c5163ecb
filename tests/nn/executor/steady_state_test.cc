// What an executor may build, and when: counted, not timed.

#include <gtest/gtest.h>

#include "small_net.h"

namespace rondo::nn {
namespace {

class SteadyState : public testing::Test {
 protected:
  SteadyState() {
    net_.minimize(sgd_);
    executor_.run(net_.startup, {}, {}, scope_);
  }
  ExecutorStats after(std::int64_t batch) {
    executor_.run(net_.main, small_batch(DataType::kF32, 0, batch), {net_.loss}, scope_);
    return executor_.stats();
  }

  SmallNet net_;
  SGD sgd_{0.1};
  Scope scope_;
  Executor executor_;
};

TEST_F(SteadyState, SameBatchSize_BuildsNothing) {
  const ExecutorStats first = after(32);
  EXPECT_GT(first.primitives_created, 0U);
  const ExecutorStats later = (after(32), after(32));
  EXPECT_EQ(later.programs_compiled, first.programs_compiled);
  EXPECT_EQ(later.primitives_created, first.primitives_created);
  EXPECT_EQ(later.buffers_allocated, first.buffers_allocated);
}

TEST_F(SteadyState, OtherBatchSize_DoesNotCompileAgain) {
  const ExecutorStats first = after(32);
  const ExecutorStats other = after(20);
  EXPECT_EQ(other.programs_compiled, first.programs_compiled);
  EXPECT_GT(other.primitives_created, first.primitives_created);
  EXPECT_EQ(other.buffers_allocated, first.buffers_allocated);  // the larger batch's memory serves
}

TEST_F(SteadyState, BatchSizesSeenBefore_BuildNothing) {
  after(32);
  const ExecutorStats both = after(20);
  const ExecutorStats later = (after(32), after(20));
  EXPECT_EQ(later.primitives_created, both.primitives_created);
  EXPECT_EQ(later.buffers_allocated, both.buffers_allocated);
}

TEST_F(SteadyState, ChangedProgram_IsCompiledAgain) {
  const ExecutorStats first = after(32);
  net_.main.global_block().mutable_ops().pop_back();  // one parameter is no longer updated
  EXPECT_EQ(after(32).programs_compiled, first.programs_compiled + 1);
}

TEST(TemporaryMemory_OfAChain, NeedsTwoBuffers) {
  Program main;
  Program startup;
  const ProgramGuard guard(main, startup);
  Var last = data("x", {4});
  for (int i = 0; i < 9; ++i) last = relu(last);
  Executor executor;
  Scope scope;
  const Feed feed = {{"x", Tensor::from<float>({1, -2, 3, -4}, {1, 4})}};
  EXPECT_EQ(executor.run(main, feed, {last}, scope)[0].to_vector<float>(),
            (std::vector<float>{1, 0, 3, 0}));
  EXPECT_EQ(executor.stats().buffers_allocated, 2U);
}

}  // namespace
}  // namespace rondo::nn
