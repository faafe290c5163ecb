// One message for several receives.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/transport/ring/ring_pair.h"
#include "transport/ring/ring_endpoint.h"

namespace rondo::transport {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kUnit = 300;
constexpr std::size_t kBytes = 1000;  // three units and 100 bytes

const Call kFirst{.sequence = 5, .fingerprint = {.collective = 1, .count = 77}};
const Call kSecond{.sequence = 6, .fingerprint = {.collective = 1, .count = 77}};

class Runs : public ::testing::Test {
 protected:
  Runs() {
    pair_.begin(kFirst);
    for (std::size_t i = 0; i < kBytes; ++i) source()[i] = static_cast<std::byte>(i * 11 / 3);
  }

  std::byte* source() { return pair_.range().data(); }
  Result<Token> post(int rank, const Transfer& transfer) {
    return pair_.endpoint(rank).post(std::span(&transfer, 1));
  }
  Token send(std::size_t bytes = kBytes) {
    return *post(0, {.kind = TransferKind::kSend, .data = source(), .bytes = bytes, .unit = kUnit});
  }
  Result<Token> view(std::size_t bytes) {
    return post(1, {.kind = TransferKind::kRecvView, .bytes = bytes});
  }
  bool is_sent(Token token) { return *pair_.endpoint(0).poll(token); }
  std::uint64_t consumed_lines() { return pair_.channel(1).consumed[0].count.load(); }

  RingPair pair_;
};

TEST_F(Runs, OfRegisteredMemoryAlone_AreLent) {
  std::vector<std::byte> own(kBytes);
  EXPECT_TRUE(pair_.endpoint(0).lends(source(), kBytes));
  EXPECT_FALSE(pair_.endpoint(0).lends(own.data(), kBytes));
}

TEST_F(Runs, AreViewedPieceByPiece_WithoutACopy) {
  const Token sent = send();
  std::vector<Token> tokens;
  for (const std::size_t bytes : {300U, 300U, 300U, 100U}) tokens.push_back(*view(bytes));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    ASSERT_TRUE(*pair_.endpoint(1).poll(tokens[i]));
    const std::byte* const piece = pair_.endpoint(1).view(tokens[i]);
    EXPECT_EQ(std::memcmp(piece, source() + i * kUnit, i == 3 ? 100 : kUnit), 0);
    EXPECT_EQ(piece, pair_.endpoint(1).view(tokens[0]) + i * kUnit);
  }
  EXPECT_EQ(pair_.endpoint(1).traffic().received_bytes, kBytes);
  // In any order; the sender may write again when the last one has been given back.
  for (const std::size_t index : {3U, 0U, 2U}) pair_.endpoint(1).release(tokens[index]);
  EXPECT_FALSE(is_sent(sent));
  pair_.endpoint(1).release(tokens[1]);
  EXPECT_TRUE(is_sent(sent));
}

TEST_F(Runs, AreNotGivenBackBeforeTheirEnd) {
  const Token sent = send();
  for (int i = 0; i < 3; ++i) {
    const Token token = *view(kUnit);
    ASSERT_TRUE(*pair_.endpoint(1).poll(token));
    pair_.endpoint(1).release(token);
    EXPECT_EQ(consumed_lines(), 0U);
    EXPECT_FALSE(is_sent(sent));
  }
  const Token last = *view(100);
  pair_.endpoint(1).release(last);
  EXPECT_TRUE(is_sent(sent));
}

TEST_F(Runs, AreCopiedWhereTheReceiverWantsThem_AndTheNextMessageComesBehind) {
  const Token sent = send();
  const Token next = *post(0, {.kind = TransferKind::kSend, .data = source(), .bytes = 400});
  std::vector<std::byte> target(kBytes + 400);
  std::size_t offset = 0;
  for (const std::size_t bytes : {300U, 300U, 300U, 100U, 400U}) {
    const auto token =
        post(1, {.kind = TransferKind::kRecv, .data = target.data() + offset, .bytes = bytes});
    ASSERT_TRUE(token.ok() && *pair_.endpoint(1).poll(*token));
    offset += bytes;
  }
  EXPECT_EQ(std::memcmp(target.data(), source(), kBytes), 0);
  EXPECT_EQ(std::memcmp(target.data() + kBytes, source(), 400), 0);
  EXPECT_TRUE(is_sent(sent) && is_sent(next));
}

TEST_F(Runs, OfStoredBytes_MoveNothing) {
  const Token sent = *post(0, {.kind = TransferKind::kStored, .bytes = kBytes, .unit = kUnit});
  std::vector<std::byte> target(kBytes, std::byte{42});
  for (const std::size_t begin : {0U, 300U, 600U, 900U}) {
    const auto token = post(1, {.kind = TransferKind::kRecv,
                                .data = target.data() + begin,
                                .bytes = std::min(kUnit, kBytes - begin)});
    ASSERT_TRUE(token.ok() && *pair_.endpoint(1).poll(*token));
  }
  EXPECT_THAT(target, ::testing::Each(std::byte{42}));
  EXPECT_TRUE(is_sent(sent));
  EXPECT_EQ(consumed_lines(), 1U);
}

TEST_F(Runs, WhosePiecesDiffer_AreAMismatch) {
  send();
  ASSERT_TRUE(view(kUnit).ok());
  const Status status = view(299).status();
  EXPECT_EQ(status.code(), ErrorCode::kMismatch);
  EXPECT_EQ(status.culprit(), 0);
  EXPECT_THAT(status.message(), ::testing::AllOf(HasSubstr("300"), HasSubstr("299")));
}

TEST_F(Runs, OfWhichTooLittleWasTaken_AreAMismatchInTheNextCall) {
  send();
  ASSERT_TRUE(view(kUnit).ok());
  pair_.begin(kSecond);
  const Status status = view(kUnit).status();
  EXPECT_EQ(status.code(), ErrorCode::kMismatch);
  EXPECT_THAT(status.message(), HasSubstr("700"));
}

TEST_F(Runs, ThatAreDamaged_AreDataLoss) {
  send();
  pair_.channel(0).lines[0][0].content.where.unit = 0;
  EXPECT_EQ(view(kUnit).status().code(), ErrorCode::kDataLoss);
}

TEST_F(Runs, WithABadLocation_AreDataLoss) {
  send();
  pair_.channel(0).lines[0][0].content.where.location = ~std::uint64_t{0} - 500;
  EXPECT_EQ(view(kUnit).status().code(), ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace rondo::transport
