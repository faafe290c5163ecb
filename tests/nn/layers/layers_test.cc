#include "rondo/nn/layers.h"

#include <gtest/gtest.h>

#include "rondo/error.h"

namespace rondo::nn {
namespace {

class Layers : public testing::Test {
 protected:
  Program main_;
  Program startup_;
  ProgramGuard guard_{main_, startup_};

  std::vector<std::string> op_types() const {
    std::vector<std::string> types;
    for (const Op& op : main_.global_block().ops()) types.push_back(op.type);
    return types;
  }
};

TEST_F(Layers, Data_HasOpenBatchAxisAndStopsGradients) {
  const Var image = data("image", {784});
  EXPECT_EQ(image.dims(), (Dims{-1, 784}));
  EXPECT_TRUE(image.stop_gradient());
  const Var whole = data("whole", {3}, {.append_batch_size = false});
  EXPECT_EQ(whole.dims(), Dims{3});
}

TEST_F(Layers, Fc_NamesFollowTheLayer) {
  const Var hidden = fc(data("image", {784}), 100, {.act = "relu"});
  const Var scores = fc(hidden, 10);
  EXPECT_EQ(hidden.name(), "fc_0.tmp_2");
  EXPECT_EQ(scores.name(), "fc_1.tmp_1");
  EXPECT_EQ(main_.global_block().var("fc_0.w_0").dims(), (Dims{784, 100}));
  EXPECT_EQ(main_.global_block().var("fc_0.b_0").dims(), (Dims{100}));
  EXPECT_EQ(op_types(),
            (std::vector<std::string>{"mul", "elementwise_add", "relu", "mul", "elementwise_add"}));
}

TEST_F(Layers, Fc_ParametersArePersistableInBothPrograms) {
  fc(data("image", {4}), 2);
  for (const char* name : {"fc_0.w_0", "fc_0.b_0"}) {
    EXPECT_TRUE(main_.global_block().var(name).is_parameter());
    EXPECT_TRUE(startup_.global_block().var(name).persistable());
  }
  EXPECT_EQ(startup_.global_block().ops().size(), 2U);
}

TEST_F(Layers, Fc_OfSeveralInputs_HasAWeightForEachAndOneBias) {
  const Var out = fc({data("a", {4}), data("b", {6})}, 2);
  EXPECT_EQ(main_.global_block().var("fc_0.w_0").dims(), (Dims{4, 2}));
  EXPECT_EQ(main_.global_block().var("fc_0.w_1").dims(), (Dims{6, 2}));
  EXPECT_EQ(out.name(), "fc_0.tmp_3");
  EXPECT_EQ(op_types(), (std::vector<std::string>{"mul", "mul", "sum", "elementwise_add"}));
}

TEST_F(Layers, Fc_NumFlattenDims_KeepsLeadingAxes) {
  const Var out = fc(data("x", {5, 2, 3}), 4, {.num_flatten_dims = 2});
  EXPECT_EQ(out.dims(), (Dims{-1, 5, 4}));
  EXPECT_EQ(main_.global_block().var("fc_0.w_0").dims(), (Dims{6, 4}));
}

TEST_F(Layers, Fc_WithTheNameOfAParameter_SharesIt) {
  const Var x = data("x", {4});
  fc(x, 4, {.weight = {.name = "shared"}});
  fc(x, 4, {.weight = {.name = "shared"}});
  EXPECT_EQ(main_.parameters().size(), 3U);  // shared, two biases
  EXPECT_THROW(fc(x, 5, {.weight = {.name = "shared"}}), Error);
}

TEST_F(Layers, Fc_TakesTheTypeOfItsInput) {
  const Var out = fc(data("x", {4}, {.dtype = DataType::kF64}), 2);
  EXPECT_EQ(out.dtype(), DataType::kF64);
  EXPECT_EQ(main_.global_block().var("fc_0.w_0").dtype(), DataType::kF64);
}

TEST_F(Layers, LossAndAccuracy_AreOneNumber) {
  const Var label = data("label", {1}, {.dtype = DataType::kI64});
  const Var prediction = softmax(fc(data("x", {4}), 3));
  EXPECT_EQ(cross_entropy(prediction, label).dims(), (Dims{-1, 1}));
  EXPECT_EQ(mean(cross_entropy(prediction, label)).dims(), Dims{1});
  const Var right = accuracy(prediction, label);
  EXPECT_EQ(right.dims(), Dims{1});
  EXPECT_TRUE(right.stop_gradient());
}

TEST_F(Layers, InputOfAnotherProgram_IsRefused) {
  const Var image = data("image", {4});
  Program other;
  const ProgramGuard guard(other, startup_);
  EXPECT_THROW(fc(image, 2), Error);
  EXPECT_THROW(relu(Var()), Error);
}

TEST_F(Layers, UnknownActivation_IsRefused) {
  EXPECT_THROW(fc(data("x", {4}), 2, {.act = "rleu"}), Error);
}

}  // namespace
}  // namespace rondo::nn
