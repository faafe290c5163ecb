#include "transport/rendezvous/pmi_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "transport/rendezvous/key_table.h"

namespace rondo::rendezvous {
namespace {

using testing::ElementsAre;

Result<std::string> joined(const std::vector<std::string>& pieces) {
  PmiPieces together;
  for (const auto& piece : pieces) RONDO_TRY(together.add(piece));
  EXPECT_TRUE(together.complete());
  return together.take();
}

TEST(PmiValue, Bytes_plain_areReadable) {
  EXPECT_THAT(pmi_pieces("192.0.2.1:29500", 100), ElementsAre(".192.0.2.1:29500"));
  EXPECT_THAT(pmi_pieces("", 100), ElementsAre("."));
}

TEST(PmiValue, Bytes_thatLinesCantHold_areEscaped) {
  EXPECT_THAT(pmi_pieces(std::string("a b=\n\0%\xff", 8), 100),
              ElementsAre(".a%20b%3d%0a%00%25%ff"));
}

TEST(PmiValue, Bytes_longerThanAPiece_becomeSeveral) {
  EXPECT_THAT(pmi_pieces("abcdefg", 4), ElementsAre("+abc", "+def", ".g"));
  EXPECT_THAT(pmi_pieces("abcdef", 4), ElementsAre("+abc", ".def"));
}

TEST(PmiValue, Bytes_ofAnyKindAndLength_comeBack) {
  std::mt19937 random(11);
  for (const std::size_t bytes : {0UL, 1UL, 2UL, 100UL, 1000UL, kMaxValueBytes}) {
    std::string value(bytes, '\0');
    std::generate(value.begin(), value.end(), [&] { return static_cast<char>(random()); });
    for (const std::size_t piece_bytes : {2UL, 15UL, 1000UL}) {
      const auto pieces = pmi_pieces(value, piece_bytes);
      for (const auto& piece : pieces) {
        ASSERT_LE(piece.size(), piece_bytes);
        ASSERT_EQ(piece.find_first_of(std::string(" =\n\0", 4)), std::string::npos);
      }
      const auto again = joined(pieces);
      ASSERT_TRUE(again.ok()) << again.status().message();
      EXPECT_EQ(*again, value);
    }
  }
}

TEST(PmiValue, Pieces_thatNobodyMade_areDataLoss) {
  for (const std::string piece : {"", "+", "x", "abc", "%20"}) {
    EXPECT_EQ(PmiPieces().add(piece).code(), ErrorCode::kDataLoss) << piece;
  }
  for (const std::string piece : {".%", ".%2", ".%zz", ".a b", ".%-1", ".a=b"}) {
    EXPECT_EQ(joined({piece}).status().code(), ErrorCode::kDataLoss) << piece;
  }
  EXPECT_EQ(joined({".a", ".b"}).status().code(), ErrorCode::kDataLoss) << "after the last";
}

TEST(PmiValue, Pieces_withoutEnd_areDataLoss) {
  PmiPieces pieces;
  const std::string piece = "+" + std::string(1000, 'x');
  Status status;
  for (int i = 0; i < 1000 && status.ok(); ++i) status = pieces.add(piece);
  EXPECT_EQ(status.code(), ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace rondo::rendezvous
