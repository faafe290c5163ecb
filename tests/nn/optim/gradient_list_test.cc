// Ops that no built-in type needs yet: two results of which the loss uses one, and none with a
// gradient.

#include "nn/optim/gradient_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nn/ops/append_op.h"
#include "nn/ops/gradient.h"

namespace rondo::nn {
namespace {

Status infer_two(TypeContext& context) {
  context.set_output(0, context.input(0));
  context.set_output(1, context.input(0));
  return {};
}

std::vector<Op> fork_gradient(const Op& forward) {
  return {gradient_op(forward, {{}, {}, {"Left", "Right"}, {"X"}})};
}

class GradientList : public testing::Test {
 protected:
  GradientList() {
    registry_.add({"fork", {{"X"}}, {{"Left"}, {"Right"}}, infer_two, fork_gradient});
    registry_.add({"rock", {{"X"}}, {{"Out"}}, infer_like_input, nullptr});
    for (const char* name : {"w", "left", "right", "loss"}) {
      VarDesc desc;
      desc.name = name;
      desc.dims = {1};
      desc.parameter = desc.name == "w";
      block().create_var(desc);
    }
  }
  Block& block() { return program_.global_block(); }
  void append(const std::string& type, Op::Slots inputs, Op::Slots outputs) {
    Op op;
    op.type = type;
    op.inputs = std::move(inputs);
    op.outputs = std::move(outputs);
    block().append_op(op);
  }
  Result<std::vector<Op>> gradients() {
    const GradientPath path = find_gradient_path(block(), "loss", {});
    return make_gradient_ops(block(), block().var("loss"), path, registry_);
  }

  Program program_;
  OpRegistry registry_;
};

TEST_F(GradientList, ResultThatTheLossDoesNotUse_GetsZeros) {
  append("fork", {{"X", {"w"}}}, {{"Left", {"loss"}}, {"Right", {"right"}}});
  const auto ops = gradients();
  ASSERT_TRUE(ops.ok());
  ASSERT_EQ(ops->size(), 3U);
  EXPECT_EQ((*ops)[1].type, "fill_zeros_like");
  EXPECT_EQ((*ops)[1].inputs.at("X"), std::vector<std::string>{"right"});
  EXPECT_EQ((*ops)[1].outputs.at("Out"), std::vector<std::string>{"right@GRAD"});
  EXPECT_EQ((*ops)[2].type, "fork_grad");
}

TEST_F(GradientList, OpWithoutGradientOnTheWay_IsUnsupported) {
  append("rock", {{"X", {"w"}}}, {{"Out", {"loss"}}});
  const auto ops = gradients();
  EXPECT_EQ(ops.status().code(), ErrorCode::kUnsupported);
  EXPECT_THAT(ops.status().message(), testing::HasSubstr("op rock"));
}

TEST(JoinRepeatedGradients, WrittenTwiceByOneOp_HasTwoParts) {
  Op op;
  op.type = "elementwise_add_grad";
  op.outputs = {{"X@GRAD", {"x@GRAD"}}, {"Y@GRAD", {"x@GRAD"}}};
  const auto ops = join_repeated_gradients({op});
  ASSERT_EQ(ops.size(), 2U);
  EXPECT_EQ(ops[0].outputs.at("X@GRAD"), std::vector<std::string>{"x@GRAD@RENAME@0"});
  EXPECT_EQ(ops[0].outputs.at("Y@GRAD"), std::vector<std::string>{"x@GRAD@RENAME@1"});
  EXPECT_EQ(ops[1].outputs.at("Out"), std::vector<std::string>{"x@GRAD"});
}

}  // namespace
}  // namespace rondo::nn
