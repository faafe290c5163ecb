#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/status.h"
#include "nn/ops/append_op.h"
#include "one_op.h"

namespace rondo::nn {
namespace {

struct Fixture {
  Program program;
  Var add(const std::string& name, Dims dims, DataType dtype = DataType::kF32) {
    VarDesc desc;
    desc.name = name;
    desc.dims = std::move(dims);
    desc.dtype = dtype;
    return program.global_block().create_var(desc);
  }
  Status append(const Op& op) { return append_op(program.global_block(), op); }
  Var var(const std::string& name) { return program.global_block().var(name); }
};

TEST(Mul_Types, KeepTheOpenBatchAxis) {
  Fixture f;
  f.add("x", {-1, 2, 3});
  f.add("y", {6, 4});
  ASSERT_TRUE(f.append(make_op("mul", {{"X", "x"}, {"Y", "y"}}, {{"Out", "out"}})).ok());
  EXPECT_EQ(f.var("out").dims(), (Dims{-1, 4}));
}

TEST(Mul_Types, WrongInnerSize_NamesVariableExpectedAndReceived) {
  Fixture f;
  f.add("x", {-1, 6});
  f.add("weights", {5, 4});
  const Status status = f.append(make_op("mul", {{"X", "x"}, {"Y", "weights"}}, {{"Out", "out"}}));
  EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "op mul: input Y ('weights') should be f32 [6, any], got f32 [5, 4]");
  EXPECT_FALSE(f.program.global_block().find_var("out"));
}

TEST(CrossEntropy_Types, FloatLabelIsRefused) {
  Fixture f;
  f.add("x", {-1, 10});
  f.add("label", {-1, 1});
  const Status status =
      f.append(make_op("cross_entropy", {{"X", "x"}, {"Label", "label"}}, {{"Y", "y"}}));
  EXPECT_THAT(status.message(), testing::HasSubstr("should be i64 [-1, 1], got f32 [-1, 1]"));
}

TEST(ElementwiseAdd_Types, YThatIsNoAxisOfX_IsRefused) {
  Fixture f;
  f.add("x", {-1, 10});
  f.add("y", {9});
  EXPECT_FALSE(
      f.append(make_op("elementwise_add", {{"X", "x"}, {"Y", "y"}}, {{"Out", "out"}})).ok());
}

TEST(AppendOp, RowsKeepTheirSequenceLevel) {
  Fixture f;
  VarDesc desc;
  desc.name = "x";
  desc.dims = {-1, 4};
  desc.lod_level = 1;
  f.program.global_block().create_var(desc);
  ASSERT_TRUE(f.append(make_op("relu", {{"X", "x"}}, {{"Out", "rows"}})).ok());
  ASSERT_TRUE(f.append(make_op("mean", {{"X", "x"}}, {{"Out", "one"}})).ok());
  EXPECT_EQ(f.var("rows").desc().lod_level, 1);
  EXPECT_EQ(f.var("one").desc().lod_level, 0);
}

TEST(AppendOp, MalformedOpsAreRefused) {
  Fixture f;
  f.add("x", {2, 2});
  EXPECT_THAT(f.append(make_op("warp", {{"X", "x"}}, {})).message(), testing::HasSubstr("'warp'"));
  EXPECT_THAT(f.append(make_op("relu", {}, {{"Out", "out"}})).message(),
              testing::HasSubstr("lacks its input X"));
  EXPECT_THAT(f.append(make_op("relu", {{"X", "z"}}, {{"Out", "out"}})).message(),
              testing::HasSubstr("reads 'z'"));
  EXPECT_THAT(f.append(make_op("relu", {{"X", "x"}, {"Y", "x"}}, {{"Out", "out"}})).message(),
              testing::HasSubstr("has a slot"));
  Op two = make_op("relu", {{"X", "x"}}, {{"Out", "out"}});
  two.inputs["X"].emplace_back("x");
  EXPECT_THAT(f.append(two).message(), testing::HasSubstr("takes one variable as X"));
}

}  // namespace
}  // namespace rondo::nn
