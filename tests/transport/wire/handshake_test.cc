#include "transport/wire/handshake.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace rondo::transport {
namespace {

using Kind = HandshakeAction::Kind;

Hello hello_of(int from, int to) {
  Hello hello;
  hello.purpose = Purpose::kData;
  hello.from = {.job = 0xfeedULL, .epoch = 3, .rank = from, .world = 4};
  hello.to = to;
  hello.nonce = 0xabcdef;
  hello.max_message_bytes = 1 << 20;
  hello.window = 8;
  hello.data_sockets = 3;
  return hello;
}

// Feeds `bytes` in pieces of `piece_bytes` until the machine stops asking for more.
template <typename Machine>
HandshakeAction feed(Machine& machine, std::span<const std::byte> bytes, std::size_t piece_bytes) {
  HandshakeAction action;
  while (!bytes.empty() && action.kind == Kind::kRead) {
    const auto piece = bytes.first(std::min(piece_bytes, bytes.size()));
    bytes = bytes.subspan(piece.size());
    action = machine.step(BytesArrived{piece});
  }
  return action;
}

HandshakeAction accept(const Hello& hello, std::size_t piece_bytes = kHelloBytes) {
  AcceptHandshake machine(hello_of(1, -1));
  return feed(machine, encode_hello(hello), piece_bytes);
}

TEST(AcceptHandshake, GoodHelloInAnyPieces_IsWelcomedAndTheDiallerAgrees) {
  for (std::size_t piece_bytes = 1; piece_bytes <= kHelloBytes; ++piece_bytes) {
    const HandshakeAction action = accept(hello_of(3, 1), piece_bytes);
    ASSERT_EQ(action.kind, Kind::kWelcome) << action.why.to_string();
    EXPECT_EQ(action.peer.from.rank, 3);
    EXPECT_EQ(action.peer.window, 8U);
    EXPECT_EQ(action.peer.data_sockets, 3U);
    EXPECT_EQ(action.peer.purpose, Purpose::kData);
    DialHandshake dialler(hello_of(3, 1));
    const HandshakeAction answer = feed(dialler, action.send, piece_bytes);
    ASSERT_EQ(answer.kind, Kind::kWelcome) << answer.why.to_string();
    EXPECT_EQ(answer.peer.from.rank, 1);
    EXPECT_EQ(answer.peer.max_message_bytes, std::uint64_t{1} << 20);
  }
}

// The refusal as the dialler reads it.
std::string refusal_of(const Hello& hello) {
  const HandshakeAction action = accept(hello);
  EXPECT_EQ(action.kind, Kind::kRefuse);
  if (action.kind != Kind::kRefuse) return "";
  DialHandshake dialler(hello);
  const HandshakeAction seen = feed(dialler, action.send, kAnswerBytes);
  EXPECT_EQ(seen.kind, Kind::kRefuse);
  EXPECT_EQ(seen.why.message(), action.why.message());
  return seen.why.message();
}

TEST(AcceptHandshake, ForeignHello_IsRefusedNamingBothValues) {
  Hello hello = hello_of(3, 1);
  hello.from.job = 0xbeef;
  EXPECT_EQ(refusal_of(hello), "the dialler is of job ..00beef, this rank of job ..00feed");
  hello = hello_of(3, 1);
  hello.from.epoch = 5;
  EXPECT_EQ(refusal_of(hello), "the dialler is of epoch 5, this rank of epoch 3");
  hello = hello_of(3, 1);
  hello.from.world = 8;
  EXPECT_EQ(refusal_of(hello), "the dialler is of world 8, this rank of world 4");
  EXPECT_NE(refusal_of(hello_of(3, 2)).find("dialled rank 2 but reached rank 1"),
            std::string::npos);
  EXPECT_NE(refusal_of(hello_of(0, 1)).find("the higher rank dials"), std::string::npos);
  EXPECT_NE(refusal_of(hello_of(4, 1)).find("rank 4"), std::string::npos);
  hello = hello_of(3, 1);
  hello.version = kProtocolVersion + 1;
  const std::string theirs_and_ours = "version " + std::to_string(kProtocolVersion + 1) +
                                      ", this rank version " + std::to_string(kProtocolVersion);
  EXPECT_NE(refusal_of(hello).find(theirs_and_ours), std::string::npos);
}

TEST(AcceptHandshake, Refusal_DoesNotGiveTheJobAway) {
  Hello hello = hello_of(3, 1);
  hello.from.epoch = 5;
  AcceptHandshake machine(hello_of(1, -1));
  const HandshakeAction action = feed(machine, encode_hello(hello), kHelloBytes);
  const Result<Answer> answer = decode_answer(std::span(action.send).first<kAnswerBytes>());
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->hello.from.job, 0U);
}

TEST(AcceptHandshake, Garbage_IsDroppedAtTheFirstWrongByteWithoutAnAnswer) {
  AcceptHandshake machine(hello_of(1, -1));
  const std::byte letter{'G'};
  const HandshakeAction action = machine.step(BytesArrived{std::span(&letter, 1)});
  EXPECT_EQ(action.kind, Kind::kDrop);
  EXPECT_TRUE(action.send.empty());
}

TEST(AcceptHandshake, RandomBytes_NeverGetIn) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    auto block = encode_hello(hello_of(3, 1));
    block[random() % 48] ^= static_cast<std::byte>(1 + random() % 255);
    AcceptHandshake machine(hello_of(1, -1));
    const HandshakeAction action = feed(machine, block, 1 + random() % kHelloBytes);
    // The purpose, the socket, the rank and the nonce have other good values.
    if (action.kind != Kind::kWelcome) continue;
    EXPECT_EQ(action.peer.from.job, 0xfeedU);
    EXPECT_EQ(action.peer.to, 1);
    EXPECT_GT(action.peer.from.rank, 1);
    EXPECT_LT(action.peer.from.rank, 4);
  }
}

TEST(AcceptHandshake, SilenceOrEnd_DropsWithTheReason) {
  AcceptHandshake late(hello_of(1, -1));
  EXPECT_EQ(late.step(DeadlinePassed{}).why.code(), ErrorCode::kTimeout);
  AcceptHandshake cut(hello_of(1, -1));
  const auto block = encode_hello(hello_of(3, 1));
  cut.step(BytesArrived{std::span(block).first(10)});
  const HandshakeAction action = cut.step(StreamEnded{});
  EXPECT_EQ(action.kind, Kind::kDrop);
  EXPECT_NE(action.why.message().find("10 bytes into the hello"), std::string::npos);
}

TEST(DialHandshake, AnswerOfAnotherVersion_IsARefusalNamingBoth) {
  for (const bool welcome : {false, true}) {
    auto answer = encode_answer({.welcome = welcome, .hello = hello_of(1, 3), .reason = "why"});
    answer[4] = static_cast<std::byte>(kProtocolVersion + 1);  // behind the four bytes of magic
    DialHandshake dialler(hello_of(3, 1));
    const HandshakeAction action = feed(dialler, answer, kAnswerBytes);
    EXPECT_EQ(action.kind, Kind::kRefuse);
    EXPECT_EQ(action.why.code(), ErrorCode::kMismatch);
    EXPECT_NE(action.why.message().find("version " + std::to_string(kProtocolVersion + 1)),
              std::string::npos);
    EXPECT_TRUE(action.send.empty());
  }
}

TEST(DialHandshake, DamagedAnswer_IsDroppedToDialAgain) {
  auto answer = encode_answer({.welcome = false, .reason = "why"});
  answer[0] ^= std::byte{1};
  DialHandshake dialler(hello_of(3, 1));
  EXPECT_EQ(feed(dialler, answer, kAnswerBytes).kind, Kind::kDrop);
}

TEST(DialHandshake, AnswerOfAnotherRankOrNonce_IsNotTaken) {
  for (const bool wrong_nonce : {false, true}) {
    Hello other = hello_of(wrong_nonce ? 1 : 2, 3);
    if (wrong_nonce) other.nonce = 1;
    DialHandshake dialler(hello_of(3, 1));
    const auto answer = encode_answer({.welcome = true, .hello = other, .reason = {}});
    EXPECT_EQ(feed(dialler, answer, kAnswerBytes).kind, Kind::kDrop);
  }
}

}  // namespace
}  // namespace rondo::transport
