#include "transport/mesh/own_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::transport {
namespace {

TEST(OwnAddress, OneHost_IsLoopback) { EXPECT_EQ(*own_address("", true, {}), "127.0.0.1"); }

TEST(OwnAddress, Interface_IsItsAddress) { EXPECT_EQ(*own_address("lo", false, {}), "127.0.0.1"); }

TEST(OwnAddress, StoreOnThisHost_IsTheAddressTowardsIt) {
  EXPECT_EQ(*own_address("", false, {.store_address = "127.0.0.1:5"}), "127.0.0.1");
}

TEST(OwnAddress, EveryInterface_IsRefusedSincePeersCantDialIt) {
  for (const char* every : {"0.0.0.0", "::"}) {
    const auto address = own_address(every, true, {});
    ASSERT_FALSE(address.ok());
    EXPECT_EQ(address.status().code(), ErrorCode::kInvalidArgument);
    EXPECT_THAT(address.status().message(), testing::HasSubstr("RONDO_IFACE"));
  }
}

TEST(OwnAddress, UnknownInterface_ListsThoseThereAre) {
  const auto address = own_address("eth99", false, {});
  ASSERT_FALSE(address.ok());
  EXPECT_THAT(address.status().message(), testing::HasSubstr("lo"));
}

}  // namespace
}  // namespace rondo::transport
