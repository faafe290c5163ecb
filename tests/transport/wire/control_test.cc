#include "transport/wire/control.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace rondo::transport {
namespace {

constexpr std::uint32_t kEpoch = 9;

std::vector<std::byte> encoded(const ControlMessage& message, std::uint32_t epoch = kEpoch) {
  std::array<std::byte, kMaxControlBytes> block;
  const std::size_t bytes = encode_control(message, epoch, block);
  return {block.begin(), block.begin() + static_cast<std::ptrdiff_t>(bytes)};
}

void append(std::vector<std::byte>& stream, const ControlMessage& message) {
  const auto bytes = encoded(message);
  stream.insert(stream.end(), bytes.begin(), bytes.end());
}

std::string text_of(const ControlMessage& message) {
  if (const auto* call = std::get_if<CallAnnouncement>(&message))
    return "call " + std::to_string(call->sequence) + " " + to_string(call->fingerprint);
  if (const auto* notice = std::get_if<AbortNotice>(&message))
    return "abort " + std::to_string(static_cast<int>(notice->code)) + " " +
           std::to_string(notice->culprit) + " " + notice->text;
  if (const auto* goodbye = std::get_if<Goodbye>(&message))
    return "goodbye " + std::to_string(goodbye->sequence);
  const auto& credit = std::get<Credit>(message);
  return "credit " + std::to_string(credit.lane) + " " + std::to_string(credit.consumed);
}

// Feeds `stream` in pieces of at most `piece_bytes`; the messages, and the error if there was one.
std::vector<std::string> read_all(std::span<const std::byte> stream, std::size_t piece_bytes) {
  ControlReader reader(4, kEpoch);
  std::vector<std::string> result;
  while (!stream.empty()) {
    auto piece = stream.first(std::min(piece_bytes, stream.size()));
    stream = stream.subspan(piece.size());
    while (!piece.empty()) {
      auto message = reader.step(piece);
      if (!message.ok()) {
        result.push_back(message.status().to_string());
        return result;
      }
      if (*message) result.push_back(text_of(**message));
    }
  }
  return result;
}

Fingerprint sample_fingerprint() { return {1, 2, 3, 0, -4, 0x123456789abcdefULL}; }

TEST(ControlReader, AnySegmentation_GivesTheSameMessages) {
  std::vector<std::byte> stream;
  append(stream, CallAnnouncement{7, sample_fingerprint()});
  append(stream, Credit{300, 1ULL << 40});
  append(stream, AbortNotice{ErrorCode::kTimeout, 12, "rank 12 was silent"});
  append(stream, AbortNotice{ErrorCode::kDevice, kNoCulprit, ""});
  append(stream, Goodbye{99});
  const std::vector<std::string> expected = {
      "call 7 " + to_string(sample_fingerprint()), "credit 300 1099511627776",
      "abort 3 12 rank 12 was silent", "abort 8 -1 ", "goodbye 99"};
  for (std::size_t piece_bytes = 1; piece_bytes <= stream.size(); ++piece_bytes)
    ASSERT_EQ(read_all(stream, piece_bytes), expected) << piece_bytes;
}

TEST(ControlReader, Garbage_IsAnErrorNamingThePeerWhateverTheSegmentation) {
  std::mt19937 random(20240517);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::byte> stream = encoded(Goodbye{1});
    const std::size_t begin = round % 2 == 0 ? 0 : stream.size();
    stream.resize(begin + 700);
    for (std::size_t i = begin; i < stream.size(); ++i)
      stream[i] = static_cast<std::byte>(random());
    const auto whole = read_all(stream, stream.size());
    EXPECT_NE(whole.back().find("rank 4 broke the wire protocol"), std::string::npos);
    EXPECT_EQ(read_all(stream, 1 + random() % 40), whole);
  }
}

TEST(ControlReader, FlippedByte_NeverReadsPastAMessage) {
  std::mt19937 random(7);
  const auto message = encoded(AbortNotice{ErrorCode::kPeerLost, 2, std::string(512, 'x')});
  for (std::size_t i = 0; i < message.size(); ++i) {
    auto damaged = message;
    damaged[i] ^= static_cast<std::byte>(1 + random() % 255);
    EXPECT_EQ(read_all(damaged, 5), read_all(damaged, damaged.size())) << i;
  }
}

TEST(ControlReader, OtherEpoch_IsAnErrorNamingBoth) {
  const auto result = read_all(encoded(Goodbye{1}, kEpoch + 1), 64);
  ASSERT_EQ(result.size(), 1U);
  EXPECT_NE(result[0].find("epoch 10"), std::string::npos) << result[0];
  EXPECT_NE(result[0].find("epoch 9"), std::string::npos) << result[0];
}

TEST(AbortNotice, LongCause_IsCutAndKeepsCodeAndCulprit) {
  const Status cause(ErrorCode::kPeerLost, std::string(2000, 'y'), 5, "rank 1, lane 0");
  const AbortNotice notice = abort_notice(cause);
  EXPECT_EQ(notice.text.size(), kMaxAbortTextBytes);
  const Status seen = abort_status(notice, 1);
  EXPECT_EQ(seen.code(), ErrorCode::kPeerLost);
  EXPECT_EQ(seen.culprit(), 5);
  EXPECT_EQ(seen.message().rfind("rank 1 gave up: yyy", 0), 0U);
}

TEST(AbortNotice, ShortCause_CarriesThePlaceToo) {
  const Status cause(ErrorCode::kMismatch, "no match", 5, "rank 1, lane 0");
  EXPECT_EQ(abort_notice(cause).text, "no match [rank 1, lane 0]");
}

TEST(AbortNotice, PassedOnByAnother_StillNamesTheFirst) {
  const Status first =
      abort_status(abort_notice(Status(ErrorCode::kDataLoss, "a short file", 11)), 11);
  const Status second = abort_status(abort_notice(Status(first).at("rank 3, sweep 2")), 3);
  EXPECT_EQ(second.message(), "rank 11 gave up: a short file");
  EXPECT_EQ(second.culprit(), 11);
  const Status own = abort_status(abort_notice(Status(ErrorCode::kSystem, "rank 7 is odd")), 3);
  EXPECT_EQ(own.message(), "rank 3 gave up: rank 7 is odd");
}

}  // namespace
}  // namespace rondo::transport
