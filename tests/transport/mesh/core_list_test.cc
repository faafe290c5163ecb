#include "transport/mesh/core_list.h"

#include <gtest/gtest.h>

namespace rondo::transport {
namespace {

TEST(CoreList, EncodeThenDecode_GivesTheSame) {
  for (const std::vector<int>& cores : {std::vector<int>{0}, {0, 2, 3}, {17, 4096}}) {
    EXPECT_EQ(*decode_cores(encode_cores(cores)), cores);
  }
}

TEST(CoreList, Garbage_IsDataLoss) {
  for (const char* text : {"", ",", "1,", ",1", "1;2", "-1", "1 2", "99999999999999", "a"}) {
    EXPECT_EQ(decode_cores(text).status().code(), ErrorCode::kDataLoss) << text;
  }
}

}  // namespace
}  // namespace rondo::transport
