#include "transport/rendezvous/store_message.h"

#include <gtest/gtest.h>

#include <random>

namespace rondo::rendezvous {
namespace {

std::string body_of(const std::string& frame) { return frame.substr(kFrameHeaderBytes); }

Request full_request() {
  Request request{.kind = RequestKind::kCompareSet,
                  .keys = {"join/world/3"},
                  .value = std::string("new\0\n\xff", 6),
                  .expected = "",
                  .delta = -5,
                  .timeout_ms = 0xfedcba98};
  return request;
}

TEST(StoreMessage, Request_roundTrip_keepsEveryField) {
  const auto request = decode_request(body_of(encode_request(full_request())));
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->kind, RequestKind::kCompareSet);
  EXPECT_EQ(request->keys, full_request().keys);
  EXPECT_EQ(request->value, full_request().value);
  EXPECT_EQ(request->expected, std::optional<std::string>(""));
  EXPECT_EQ(request->delta, -5);
  EXPECT_EQ(request->timeout_ms, 0xfedcba98);
}

TEST(StoreMessage, Reply_roundTrip_keepsEveryField) {
  const Reply reply{.code = ErrorCode::kTimeout,
                    .message = "late",
                    .values = {"a", "", std::string(kMaxValueBytes, 'b')},
                    .number = std::int64_t{-7} << 40};
  const auto back = decode_reply(body_of(encode_reply(reply)));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->code, reply.code);
  EXPECT_EQ(back->message, reply.message);
  EXPECT_EQ(back->values, reply.values);
  EXPECT_EQ(back->number, reply.number);
}

TEST(StoreMessage, Bytes_truncatedOrExtended_areRefused) {
  const std::string request = body_of(encode_request(full_request()));
  const std::string reply = body_of(encode_reply({.message = "m", .values = {"v", "w"}}));
  for (std::size_t bytes = 0; bytes < request.size(); ++bytes) {
    EXPECT_FALSE(decode_request(request.substr(0, bytes)).ok()) << bytes;
  }
  for (std::size_t bytes = 0; bytes < reply.size(); ++bytes) {
    EXPECT_FALSE(decode_reply(reply.substr(0, bytes)).ok()) << bytes;
  }
  EXPECT_FALSE(decode_request(request + '\0').ok());
  EXPECT_FALSE(decode_reply(reply + '\0').ok());
}

TEST(StoreMessage, Request_keysOutOfBounds_isRefused) {
  Request request{.kind = RequestKind::kWait};
  EXPECT_FALSE(decode_request(body_of(encode_request(request))).ok());
  request.keys.assign(kMaxRequestKeys, "k");
  EXPECT_TRUE(decode_request(body_of(encode_request(request))).ok());
  request.keys.emplace_back("one too many");
  EXPECT_FALSE(decode_request(body_of(encode_request(request))).ok());
  request.keys = {std::string(kMaxKeyBytes + 1, 'k')};
  EXPECT_FALSE(decode_request(body_of(encode_request(request))).ok());
  request.keys = {""};
  EXPECT_FALSE(decode_request(body_of(encode_request(request))).ok());
  request = {.kind = static_cast<RequestKind>(99), .keys = {"k"}};
  EXPECT_FALSE(decode_request(body_of(encode_request(request))).ok());
}

TEST(StoreMessage, LargestMessages_fitTheFrameLimits) {
  Request request{.kind = RequestKind::kWait, .value = std::string(kMaxValueBytes, 'v')};
  request.keys.assign(kMaxRequestKeys, std::string(kMaxKeyBytes, 'k'));
  request.expected = std::string(kMaxValueBytes, 'e');
  EXPECT_LE(encode_request(request).size(), kMaxRequestBytes);
  Reply reply{.message = std::string(1 << 20, 'm')};
  reply.values.assign(kMaxRequestKeys, std::string(kMaxValueBytes, 'v'));
  EXPECT_LE(encode_reply(reply).size(), kMaxReplyBytes);
}

TEST(StoreMessage, FrameHeader_overTheLimit_isRefused) {
  EXPECT_EQ(*decode_frame_header(std::string("\x01\x02\0\0", 4), 1000), 0x0201U);
  EXPECT_FALSE(decode_frame_header(std::string("\x01\x02\0\x80", 4), 1000).ok());
  EXPECT_FALSE(decode_frame_header("abc", 1000).ok());
}

TEST(StoreMessage, Hello_ofStrangers_isDataLoss) {
  const std::string hello = encode_hello(0x1234);
  EXPECT_EQ(hello.size(), kHelloBytes);
  EXPECT_EQ(*decode_hello(hello), 0x1234U);
  EXPECT_EQ(decode_hello("GET / HTTP/1.1\r\nHost: x\r\n").status().code(), ErrorCode::kDataLoss);
  std::string other_version = hello;
  other_version[13] = 9;
  EXPECT_EQ(decode_hello(other_version).status().code(), ErrorCode::kUnsupported);
}

TEST(StoreMessage, RandomBytes_neverReadOutOfBounds) {
  std::mt19937 random(20240501);
  const std::string valid = body_of(encode_request(full_request()));
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = valid;
    for (int flip = 0; flip < 3; ++flip) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const auto request = decode_request(bytes);
    if (request.ok()) {
      EXPECT_EQ(encode_request(*request).size(), bytes.size() + kFrameHeaderBytes);
    }
    (void)decode_reply(bytes).ok();
  }
}

}  // namespace
}  // namespace rondo::rendezvous
