#include "rondo/nn/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "rondo/error.h"

namespace rondo::nn {
namespace {

Op make_op(const std::string& type, const std::string& input, const std::string& output,
           OpRole role = OpRole::kForward) {
  Op op;
  op.type = type;
  op.inputs["X"] = {input};
  op.outputs["Out"] = {output};
  op.role = role;
  return op;
}

VarDesc make_desc(const std::string& name, bool persistable = false) {
  VarDesc desc;
  desc.name = name;
  desc.dims = {-1, 3};
  desc.persistable = persistable;
  return desc;
}

// x -> y, then a training op that writes g and updates the persistable p.
Program training_like() {
  Program program;
  Block& block = program.global_block();
  for (const char* name : {"x", "y", "g", "unused"}) block.create_var(make_desc(name));
  block.create_var(make_desc("p", true));
  Op forward = make_op("dropout", "x", "y");
  forward.attributes["is_test"] = false;
  block.append_op(forward);
  block.append_op(make_op("dropout_grad", "y", "g", OpRole::kBackward));
  block.append_op(make_op("sgd", "g", "p", OpRole::kOptimize));
  return program;
}

TEST(Program_UniqueName, CountsPerKeyAndProgram) {
  Program program;
  EXPECT_EQ(program.unique_name("fc"), "fc_0");
  EXPECT_EQ(program.unique_name("fc"), "fc_1");
  EXPECT_EQ(program.unique_name("fc_0.w"), "fc_0.w_0");
  EXPECT_EQ(Program().unique_name("fc"), "fc_0");
}

TEST(Block_CreateVar, TakenNameIsAnErrorThatNamesIt) {
  Program program;
  program.global_block().create_var(make_desc("x"));
  try {
    program.global_block().create_var(make_desc("x"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'x'"));
  }
}

TEST(Block_FindVar, SeesParentsButNotChildren) {
  Program program;
  Block& inner = program.create_block(0);
  program.global_block().create_var(make_desc("outer"));
  inner.create_var(make_desc("inner"));
  EXPECT_TRUE(inner.find_var("outer"));
  EXPECT_FALSE(program.global_block().find_var("inner"));
  EXPECT_EQ(inner.parent_index(), 0);
}

TEST(Program_CloneForTest, KeepsForwardOpsAndPersistablesOnly) {
  const Program test = training_like().clone(true);
  const Block& block = test.global_block();
  ASSERT_EQ(block.ops().size(), 1U);
  EXPECT_TRUE(block.ops()[0].attribute<bool>("is_test", false));
  EXPECT_EQ(block.find_desc("g"), nullptr);
  EXPECT_NE(block.find_desc("p"), nullptr);
  EXPECT_NE(block.find_desc("unused"), nullptr);
}

TEST(Program_Clone, SharesNothing) {
  Program program = training_like();
  program.set_random_seed(5);
  program.unique_name("fc");
  Program copy = program.clone();
  copy.global_block().mutable_ops().clear();
  copy.global_block().var("x").set_stop_gradient(true);
  EXPECT_EQ(program.global_block().ops().size(), 3U);
  EXPECT_FALSE(program.global_block().var("x").stop_gradient());
  EXPECT_EQ(copy.random_seed(), 5U);
  EXPECT_EQ(copy.unique_name("fc"), "fc_1");
  EXPECT_NE(copy.id(), program.id());
}

TEST(Program_Revision, GrowsWithEveryChange) {
  Program program = training_like();
  auto last = program.revision();
  const auto grew = [&] { return program.revision() > std::exchange(last, program.revision()); };
  program.global_block().create_var(make_desc("z"));
  EXPECT_TRUE(grew());
  program.global_block().append_op(make_op("relu", "x", "z"));
  EXPECT_TRUE(grew());
  program.global_block().mutable_ops().pop_back();
  EXPECT_TRUE(grew());
  program.global_block().var("z").set_persistable(true);
  EXPECT_TRUE(grew());
  EXPECT_FALSE(grew());
}

TEST(Program_ToString, ListsVariablesAndOps) {
  Program program = training_like();
  program.global_block().mutable_ops()[0].attributes["epsilon"] = 1e-20;
  EXPECT_THAT(program.to_string(),
              testing::AllOf(testing::HasSubstr("var x: f32 [-1, 3]"),
                             testing::HasSubstr("var p: f32 [-1, 3], persistable"),
                             testing::HasSubstr("{Out: [y]} = dropout(X: [x]) {epsilon: 1e-20, "
                                                "is_test: false}")));
}

TEST(ProgramGuard, NestsAndBelongsToItsThread) {
  Program& process_wide = default_main_program();
  Program main;
  Program startup;
  {
    const ProgramGuard guard(main, startup);
    EXPECT_EQ(&default_main_program(), &main);
    EXPECT_EQ(&default_startup_program(), &startup);
    std::thread([&] { EXPECT_EQ(&default_main_program(), &process_wide); }).join();
    Program inner;
    {
      const ProgramGuard nested(inner, startup);
      EXPECT_EQ(&default_main_program(), &inner);
    }
    EXPECT_EQ(&default_main_program(), &main);
  }
  EXPECT_EQ(&default_main_program(), &process_wide);
}

}  // namespace
}  // namespace rondo::nn
