#include "rondo/nn/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "rondo/error.h"
#include "small_net.h"

namespace rondo::nn {
namespace {

class ExecutorRun : public testing::Test {
 protected:
  SmallNet net_;
  Scope scope_;
  Executor executor_;

  void start() { executor_.run(net_.startup, {}, {}, scope_); }

  std::string error_of(const Feed& feed, const std::vector<VarName>& fetch) {
    try {
      executor_.run(net_.main, feed, fetch, scope_);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      return error.what();
    }
    return "no error";
  }
};

TEST_F(ExecutorRun, BeforeTheStartupProgram_SaysSo) {
  EXPECT_THAT(error_of(small_batch(DataType::kF32, 0, 4), {net_.loss}),
              testing::AllOf(testing::HasSubstr("'fc_0."), testing::HasSubstr("startup program")));
}

TEST_F(ExecutorRun, WrongFeeds_NameVariableExpectedAndReceived) {
  start();
  Feed feed = small_batch(DataType::kF32, 0, 4);
  feed["label"] = Tensor(DataType::kF32, {4, 1});
  EXPECT_THAT(
      error_of(feed, {net_.loss}),
      testing::HasSubstr("feed 'label' should be i64 [-1, 1] (-1: any size), got f32 [4, 1]"));
  feed["label"] = Tensor(DataType::kI64, {4});
  EXPECT_THAT(error_of(feed, {net_.loss}), testing::HasSubstr("got i64 [4]"));
  feed["label"] = Tensor(DataType::kI64, {0, 1});
  EXPECT_THAT(error_of(feed, {net_.loss}), testing::HasSubstr("is empty"));
  feed["label"] = Tensor();
  EXPECT_THAT(error_of(feed, {net_.loss}), testing::HasSubstr("'label' has no value"));
  feed["label"] = Tensor(DataType::kI64, {3, 1});
  EXPECT_THAT(error_of(feed, {net_.loss}),
              testing::HasSubstr("input Label ('label') should be i64 [4, 1], got i64 [3, 1]"));
  feed.erase("label");
  EXPECT_THAT(error_of(feed, {net_.loss}), testing::HasSubstr("reads 'label'"));
  feed["lable"] = Tensor(DataType::kI64, {4, 1});
  EXPECT_THAT(error_of(feed, {net_.loss}), testing::HasSubstr("'lable'"));
}

TEST_F(ExecutorRun, AfterAnError_WorksAgain) {
  start();
  Feed feed = small_batch(DataType::kF32, 0, 4);
  const float loss = executor_.run(net_.main, feed, {net_.loss}, scope_)[0].data<float>()[0];
  Feed wrong = feed;
  wrong["label"] = Tensor(DataType::kI64, {3, 1});
  error_of(wrong, {net_.loss});
  EXPECT_EQ(executor_.run(net_.main, feed, {net_.loss}, scope_)[0].data<float>()[0], loss);
}

TEST_F(ExecutorRun, AnyVariableOfTheBlockCanBeFetched) {
  start();
  const Feed feed = small_batch(DataType::kF32, 0, 4);
  const auto got =
      executor_.run(net_.main, feed, {"fc_0.tmp_0", "fc_0.w_0", "x", net_.prediction}, scope_);
  EXPECT_EQ(got[0].dims(), (Dims{4, 16}));
  EXPECT_EQ(got[1].to_vector<float>(), scope_.value("fc_0.w_0").to_vector<float>());
  EXPECT_EQ(got[2].to_vector<float>(), feed.at("x").to_vector<float>());
  for (std::int64_t row = 0; row < 4; ++row) {
    const float* p = got[3].data<float>() + 3 * row;
    EXPECT_NEAR(p[0] + p[1] + p[2], 1.0F, 1e-6F);
  }
  EXPECT_THAT(error_of(feed, {"fc_9.tmp_0"}), testing::HasSubstr("'fc_9.tmp_0'"));
}

TEST_F(ExecutorRun, FetchedValuesAreCopies) {
  start();
  const auto first =
      executor_.run(net_.main, small_batch(DataType::kF32, 0, 4), {net_.prediction}, scope_)[0];
  const auto before = first.to_vector<float>();
  executor_.run(net_.main, small_batch(DataType::kF32, 40, 4), {net_.prediction}, scope_);
  EXPECT_EQ(first.to_vector<float>(), before);
}

TEST_F(ExecutorRun, FetchingATemporary_DoesNotChangeTheOthers) {
  SGD sgd(0.1);
  net_.minimize(sgd);
  start();
  const Feed feed = small_batch(DataType::kF32, 0, 8);
  std::vector<VarName> all;
  for (const Var& var : net_.main.global_block().vars()) {
    if (!var.persistable()) all.emplace_back(var);
  }
  Scope other;
  executor_.run(net_.startup, {}, {}, other);
  const auto kept = executor_.run(net_.main, feed, all, other);  // no memory is shared here
  for (std::size_t i = 0; i < all.size(); ++i) {
    Scope fresh;
    executor_.run(net_.startup, {}, {}, fresh);
    const Tensor one = executor_.run(net_.main, feed, {all[i]}, fresh)[0];
    ASSERT_EQ(one.bytes(), kept[i].bytes()) << all[i].text;
    EXPECT_EQ(std::memcmp(one.data(), kept[i].data(), one.bytes()), 0) << all[i].text;
  }
}

TEST_F(ExecutorRun, TemporariesStayOutOfTheScope) {
  start();
  executor_.run(net_.main, small_batch(DataType::kF32, 0, 4), {net_.loss}, scope_);
  EXPECT_NE(scope_.find_var("fc_0.w_0"), nullptr);
  EXPECT_EQ(scope_.find_var("fc_0.tmp_0"), nullptr);
  EXPECT_EQ(scope_.find_var("x"), nullptr);
}

TEST_F(ExecutorRun, ScopesHaveParametersOfTheirOwn) {
  start();
  Scope other;
  executor_.run(net_.startup, {}, {}, other);
  other.value("fc_0.b_0").data<float>()[0] = 3;
  EXPECT_EQ(scope_.value("fc_0.b_0").data<float>()[0], 0);
  const Feed feed = small_batch(DataType::kF32, 0, 4);
  EXPECT_NE(executor_.run(net_.main, feed, {net_.loss}, other)[0].data<float>()[0],
            executor_.run(net_.main, feed, {net_.loss}, scope_)[0].data<float>()[0]);
}

TEST_F(ExecutorRun, ParameterOfAnotherShapeInTheScope_IsNamed) {
  start();
  scope_.var("fc_0.b_0") = Tensor(DataType::kF32, {5});
  EXPECT_THAT(error_of(small_batch(DataType::kF32, 0, 4), {net_.loss}),
              testing::HasSubstr("'fc_0.b_0' should be f32 [16], the scope has f32 [5]"));
}

TEST_F(ExecutorRun, RowsKeepTheirSequences) {
  start();
  Feed feed = small_batch(DataType::kF32, 0, 4);
  feed.at("x").set_lod({{0, 1, 4}});
  EXPECT_EQ(executor_.run(net_.main, feed, {net_.prediction}, scope_)[0].lod(), (LoD{{0, 1, 4}}));
  feed.at("x").set_lod({{0, 4}});
  EXPECT_EQ(executor_.run(net_.main, feed, {net_.prediction}, scope_)[0].lod(), (LoD{{0, 4}}));
  EXPECT_TRUE(
      executor_.run(net_.main, small_batch(DataType::kF32, 0, 4), {net_.prediction}, scope_)[0]
          .lod()
          .empty());
}

TEST(Executor_New, OnADeviceWithoutKernels_IsUnsupported) {
  EXPECT_THROW(Executor(Device::emulated(0)), Error);
}

}  // namespace
}  // namespace rondo::nn
