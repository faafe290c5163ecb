#include "nn/parallel/bucket_plan.h"

#include <gtest/gtest.h>

#include <set>

#include "small_net.h"

namespace rondo::nn {
namespace {

// The gradients of SmallNet take, rounded up to 16 elements: fc_1.b_0 16, fc_1.w_0 48,
// fc_0.b_0 16, fc_0.w_0 32; backward finishes them in this order.
struct Trained : SmallNet {
  explicit Trained(DataType dtype = DataType::kF32) : SmallNet(dtype) { minimize(sgd); }
  SGD sgd{0.1};
  std::vector<BucketPlan> plan(std::size_t bucket_bytes) {
    return plan_buckets(main.global_block(), bucket_bytes);
  }
};

std::vector<std::string> names_in(const BucketPlan& bucket) {
  std::vector<std::string> names;
  for (const BucketEntry& entry : bucket.entries) names.push_back(entry.grad);
  return names;
}

TEST(PlanBuckets, LargeLimit_PutsAllIntoOneInBackwardOrder) {
  Trained net;
  const auto buckets = net.plan(1 << 20);
  ASSERT_EQ(buckets.size(), 1U);
  EXPECT_EQ(names_in(buckets[0]), (std::vector<std::string>{"fc_1.b_0@GRAD", "fc_1.w_0@GRAD",
                                                            "fc_0.b_0@GRAD", "fc_0.w_0@GRAD"}));
  EXPECT_EQ(buckets[0].count, 112U);
  EXPECT_EQ(buckets[0].entries[1].first, 16U);
}

TEST(PlanBuckets, LimitIsKept) {
  Trained net;
  const auto buckets = net.plan(64 * sizeof(float));
  ASSERT_EQ(buckets.size(), 2U);
  EXPECT_EQ(names_in(buckets[0]), (std::vector<std::string>{"fc_1.b_0@GRAD", "fc_1.w_0@GRAD"}));
  EXPECT_EQ(buckets[1].count, 48U);
  EXPECT_LT(buckets[0].ready_after, buckets[1].ready_after);
}

TEST(PlanBuckets, GradientLargerThanTheLimit_IsAlone) {
  Trained net;
  const auto buckets = net.plan(1);
  ASSERT_EQ(buckets.size(), 4U);
  for (const BucketPlan& bucket : buckets) EXPECT_EQ(bucket.entries.size(), 1U);
}

TEST(PlanBuckets, BucketIsReadyWhenItsLastGradientIsWritten) {
  Trained net;
  const auto& ops = net.main.global_block().ops();
  for (const BucketPlan& bucket : net.plan(64 * sizeof(float))) {
    std::set<std::string> missing;
    for (const BucketEntry& entry : bucket.entries) missing.insert(entry.grad);
    for (std::size_t i = 0; i <= bucket.ready_after; ++i) {
      EXPECT_FALSE(missing.empty());
      for (const auto& [slot, names] : ops[i].outputs) {
        for (const std::string& name : names) missing.erase(name);
      }
    }
    EXPECT_TRUE(missing.empty());
  }
}

}  // namespace
}  // namespace rondo::nn
