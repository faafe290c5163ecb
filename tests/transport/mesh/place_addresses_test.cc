#include "transport/mesh/place_addresses.h"

#include <gtest/gtest.h>

namespace rondo::transport {
namespace {

TEST(PlaceAddresses, EncodeThenDecode_GivesTheSame) {
  std::vector<PlaceAddresses> places(2);
  places[0].set(TransportKind::kShm, "@rondo-17");
  places[0].set(TransportKind::kTcp, "127.0.0.1:4711");
  places[1].set(TransportKind::kInproc, "4242:1");
  const auto decoded = decode(encode(places));
  ASSERT_TRUE(decoded.ok());
  ASSERT_EQ(decoded->size(), 2U);
  EXPECT_EQ((*decoded)[0].of(TransportKind::kShm), "@rondo-17");
  EXPECT_EQ((*decoded)[0].of(TransportKind::kTcp), "127.0.0.1:4711");
  EXPECT_EQ((*decoded)[0].of(TransportKind::kInproc), "");
  EXPECT_EQ((*decoded)[1].of(TransportKind::kInproc), "4242:1");
}

TEST(PlaceAddresses, Garbage_IsDataLoss) {
  for (const char* text : {"", "{", "{}", "[1]", R"([{"shm": 3}])", R"([{"shm": "a"}])"}) {
    const auto decoded = decode(text);
    ASSERT_FALSE(decoded.ok()) << text;
    EXPECT_EQ(decoded.status().code(), ErrorCode::kDataLoss) << text;
  }
}

}  // namespace
}  // namespace rondo::transport
