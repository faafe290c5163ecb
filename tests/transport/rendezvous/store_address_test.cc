#include "transport/rendezvous/store_address.h"

#include <gtest/gtest.h>

namespace rondo::rendezvous {
namespace {

TEST(StoreAddress, Text_wellFormed_comesBack) {
  for (const std::string text : {"127.0.0.1:29500", "[2001:db8::1]:1", "host.example:65535"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address.ok()) << text;
    EXPECT_EQ(to_string(*address), text);
  }
  EXPECT_EQ(parse_address("[::1]:77")->host, "::1");
}

TEST(StoreAddress, Text_malformed_isInvalidArgument) {
  for (const char* text : {"", "host", ":1", "host:", "host:0", "host:65536", "host:-1", "host:1x",
                           "::1:77", "[]:1", "host: 1"}) {
    EXPECT_EQ(parse_address(text).status().code(), ErrorCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace rondo::rendezvous
