#include "transport/wire/frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace rondo::transport {
namespace {

constexpr std::uint64_t kMaxPayload = 500;

FrameHeader sample(std::uint64_t payload_bytes) {
  FrameHeader header;
  header.lane = 258;
  header.payload_bytes = payload_bytes;
  header.message = 0xfedcba98;
  header.consumed = 0xfedcba12;
  header.call = {0x1122334455667788ULL, 77, {1, 2, 3, 0, -5, 1009}};
  return header;
}

std::array<std::byte, kFrameHeaderBytes> encoded(const FrameHeader& header) {
  std::array<std::byte, kFrameHeaderBytes> block;
  encode_frame_header(header, block);
  return block;
}

std::string text_of(const FrameHeader& header) {
  return std::to_string(static_cast<int>(header.kind)) + "/" + std::to_string(header.lane) + "/" +
         std::to_string(header.payload_bytes) + "/" + std::to_string(header.message) + "/" +
         std::to_string(header.consumed) + "/" + std::to_string(header.call.sequence) + "/" +
         std::to_string(header.call.epoch) + "/" + to_string(header.call.fingerprint);
}

// Everything the reader makes of `stream`, fed in pieces of random size: headers, payloads, error.
std::vector<std::string> read_all(std::span<const std::byte> stream, std::size_t longest_piece,
                                  std::mt19937& random) {
  FrameReader reader(4, kMaxPayload);
  std::vector<std::string> result;
  std::string payload;
  while (!stream.empty()) {
    auto piece = stream.first(std::min(1 + random() % longest_piece, stream.size()));
    stream = stream.subspan(piece.size());
    while (!piece.empty()) {
      if (!reader.has_header()) {
        auto complete = reader.step(piece);
        if (!complete.ok()) {
          result.push_back(complete.status().to_string());
          return result;
        }
        if (*complete) result.push_back(text_of(reader.header()));
      }
      const auto taken = std::min<std::size_t>(piece.size(), reader.payload_left());
      payload.append(reinterpret_cast<const char*>(piece.data()), taken);
      piece = piece.subspan(taken);
      reader.took_payload(taken);
      if (reader.has_header() && reader.payload_left() == 0) {
        result.push_back(std::exchange(payload, {}));
        reader.next_frame();
      }
    }
  }
  return result;
}

TEST(FrameReader, EncodedHeader_ComesBackFieldByField) {
  std::mt19937 random(1);
  const auto result = read_all(encoded(sample(0)), 1000, random);
  EXPECT_EQ(result, (std::vector<std::string>{text_of(sample(0)), ""}));
}

TEST(FrameReader, AnySegmentation_GivesTheSameFrames) {
  std::mt19937 random(20240518);
  std::vector<std::byte> stream;
  std::vector<std::string> expected;
  for (int i = 0; i < 40; ++i) {
    const std::size_t bytes = i % 5 == 0 ? 0 : random() % kMaxPayload;
    const auto header = encoded(sample(bytes));
    stream.insert(stream.end(), header.begin(), header.end());
    std::string payload(bytes, '\0');
    for (char& c : payload) c = static_cast<char>(random());
    for (const char c : payload) stream.push_back(static_cast<std::byte>(c));
    expected.push_back(text_of(sample(bytes)));
    expected.push_back(payload);
  }
  for (const std::size_t longest_piece :
       {std::size_t{1}, std::size_t{2}, kFrameHeaderBytes - 1, kFrameHeaderBytes,
        kFrameHeaderBytes + 1, std::size_t{300}, std::size_t{100'000}})
    ASSERT_EQ(read_all(stream, longest_piece, random), expected) << longest_piece;
}

TEST(FrameReader, Garbage_IsTheSameErrorWhateverTheSegmentation) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    const auto header = encoded(sample(20));
    // Whatever the header says of the payload, another follows.
    std::vector<std::byte> stream(2 * kFrameHeaderBytes + kMaxPayload, std::byte{0x5a});
    std::copy(header.begin(), header.end(), stream.begin());
    for (int flips = 0; flips < 3; ++flips)
      stream[random() % stream.size()] ^= static_cast<std::byte>(1 + random() % 255);
    const auto whole = read_all(stream, stream.size(), random);
    EXPECT_EQ(read_all(stream, 1 + random() % 60, random), whole);
    EXPECT_NE(whole.back().find("rank 4 broke the wire protocol"), std::string::npos);
  }
}

TEST(FrameReader, PayloadAboveTheAgreedLimit_NamesPeerAndBothNumbers) {
  std::mt19937 random(1);
  const auto result = read_all(encoded(sample(501)), 1000, random);
  ASSERT_EQ(result.size(), 1U);
  for (const char* part : {"rank 4", "501", "500"})
    EXPECT_NE(result[0].find(part), std::string::npos) << result[0];
}

TEST(FrameReader, UnknownKind_IsAnErrorNamingThePeer) {
  std::mt19937 random(1);
  auto block = encoded(sample(0));
  block[4] = std::byte{9};
  const auto result = read_all(block, 1000, random);
  ASSERT_EQ(result.size(), 1U);
  EXPECT_NE(result[0].find("rank 4 broke the wire protocol: frame of unknown kind 9"),
            std::string::npos)
      << result[0];
}

}  // namespace
}  // namespace rondo::transport
