#include "rondo/nn/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "rondo/error.h"

namespace rondo::nn {
namespace {

TEST(Tensor_New, IsZeroAndAlignedForVectors) {
  const Tensor tensor(DataType::kF32, {3, 5});
  EXPECT_EQ(tensor.to_vector<float>(), std::vector<float>(15, 0.0F));
  EXPECT_EQ(tensor.bytes(), 60U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data()) % 64, 0U);
}

TEST(Tensor_New, OfMoreElementsThanCanBeAddressed_IsRefused) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 32;
  EXPECT_THROW(Tensor(DataType::kF32, {kHuge, kHuge}), Error);
  EXPECT_THROW(Tensor(DataType::kF32, {std::int64_t{1} << 62}), Error);
  EXPECT_EQ(Tensor(DataType::kF32, {kHuge, 0}).count(), 0);
}

TEST(Tensor_From, WrongCountSaysBoth) {
  try {
    Tensor::from<float>({1, 2, 3}, {2, 2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(error.what(), testing::HasSubstr("[2, 2] needs 4 values, got 3"));
  }
}

TEST(Tensor_Data, OfAnotherTypeIsRefused) {
  const auto tensor = Tensor::from<std::int64_t>({1, 2}, {2});
  EXPECT_THROW(tensor.data<float>(), Error);
  EXPECT_EQ(tensor.data<std::int64_t>()[1], 2);
}

TEST(Tensor_Copy, SharesMemoryAndCloneDoesNot) {
  const auto tensor = Tensor::from<double>({1.5, 2.5}, {2});
  const Tensor copy = tensor;  // NOLINT(performance-unnecessary-copy-initialization): the subject
  const Tensor clone = tensor.clone();
  tensor.data<double>()[0] = 7;
  EXPECT_EQ(copy.data<double>()[0], 7);
  EXPECT_EQ(clone.data<double>()[0], 1.5);
}

TEST(Tensor_Borrow, WritesToTheLendersMemory) {
  std::vector<float> lender = {1, 2};
  Tensor::borrow(lender.data(), DataType::kF32, {2}).data<float>()[1] = 9;
  EXPECT_EQ(lender[1], 9);
}

TEST(Tensor_New, UnknownSizeIsRefused) { EXPECT_THROW(Tensor(DataType::kF32, {-1, 3}), Error); }

TEST(Tensor_New, DeviceMemoryIsRefused) {
  EXPECT_THROW(Tensor(DataType::kF32, {1}, Device::emulated(0)), Error);
}

}  // namespace
}  // namespace rondo::nn
