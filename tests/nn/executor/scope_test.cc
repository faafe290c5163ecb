#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rondo/error.h"
#include "rondo/nn/executor.h"

namespace rondo::nn {
namespace {

TEST(Scope, ChildSeesTheParentsVariablesAndHidesThem) {
  Scope outer;
  Scope inner(&outer);
  outer.var("a") = Tensor::from<float>({1}, {1});
  EXPECT_EQ(inner.value("a").data<float>()[0], 1);
  inner.var("a") = Tensor::from<float>({2}, {1});
  EXPECT_EQ(inner.value("a").data<float>()[0], 2);
  EXPECT_EQ(outer.value("a").data<float>()[0], 1);
  inner.var("b");
  EXPECT_EQ(outer.find_var("b"), nullptr);
}

TEST(Scope_Assign, KeepsTypeAndShape) {
  Scope scope;
  EXPECT_THROW(scope.assign("a", Tensor::from<float>({1}, {1})), Error);
  scope.var("a") = Tensor::from<float>({1, 2}, {2});
  scope.assign("a", Tensor::from<float>({3, 4}, {2}));
  EXPECT_EQ(scope.value("a").to_vector<float>(), (std::vector<float>{3, 4}));
  EXPECT_THROW(scope.assign("a", Tensor::from<float>({3, 4}, {1, 2})), Error);
  EXPECT_THROW(scope.assign("a", Tensor::from<double>({3, 4}, {2})), Error);
}

TEST(Scope_Value, OfNothing_NamesTheVariable) {
  try {
    Scope().value("fc_0.w_0");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'fc_0.w_0'"));
  }
}

}  // namespace
}  // namespace rondo::nn
