#include "core/device/emulated/alias_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace rondo::device {
namespace {

using ::testing::HasSubstr;

/// A range of 64 bytes with one allocation in [16, 32); addresses only, nothing is touched.
class AliasTableTest : public ::testing::Test {
 protected:
  void SetUp() override {
    table_.add_range(device_.data(), device_.size());
    table_.add_allocation(device_.data() + 16, 16, alias_.data());
  }

  std::array<std::byte, 64> device_{};
  std::array<std::byte, 16> alias_{};
  AliasTable table_;
};

TEST_F(AliasTableTest, insideAnAllocation_isTheSameOffsetInItsAlias) {
  EXPECT_EQ(table_.alias_of(device_.data() + 16), alias_.data());
  EXPECT_EQ(table_.alias_of(device_.data() + 31), alias_.data() + 15);
  EXPECT_EQ(table_.resolve(device_.data() + 20, 12).value(), alias_.data() + 4);
  EXPECT_EQ(table_.bytes_left(device_.data() + 20), 12U);
}

TEST_F(AliasTableTest, hostMemory_staysAsItIs) {
  std::byte host{};
  EXPECT_EQ(table_.resolve(&host, 1).value(), &host);
  EXPECT_EQ(table_.alias_of(&host), nullptr);
  EXPECT_EQ(table_.bytes_left(&host), 0U);
  EXPECT_EQ(table_.alias_of(nullptr), nullptr);
}

TEST_F(AliasTableTest, pastTheEnd_isAnErrorWithTheNumbers) {
  const Status status = table_.resolve(device_.data() + 20, 13).status();
  EXPECT_EQ(status.code(), ErrorCode::kDevice);
  EXPECT_THAT(status.message(), HasSubstr("13 bytes"));
  EXPECT_THAT(status.message(), HasSubstr("12 are left"));
}

TEST_F(AliasTableTest, besideAnAllocation_isAnError) {
  EXPECT_EQ(table_.alias_of(device_.data() + 15), nullptr);
  EXPECT_EQ(table_.alias_of(device_.data() + 32), nullptr);
  EXPECT_FALSE(table_.resolve(device_.data() + 15, 1).ok());
  EXPECT_FALSE(table_.resolve(device_.data() + 32, 1).ok());
}

TEST_F(AliasTableTest, removed_isForgotten) {
  table_.remove_allocation(device_.data() + 16);
  EXPECT_THAT(table_.resolve(device_.data() + 16, 1).status().message(), HasSubstr("freed"));
  table_.remove_range(device_.data());
  EXPECT_EQ(table_.resolve(device_.data() + 16, 1).value(), device_.data() + 16);
}

TEST_F(AliasTableTest, removedRange_takesItsAllocationsAlong) {
  table_.remove_range(device_.data());
  EXPECT_EQ(table_.alias_of(device_.data() + 20), nullptr)
      << "other memory may come to lie where it was";
}

}  // namespace
}  // namespace rondo::device
