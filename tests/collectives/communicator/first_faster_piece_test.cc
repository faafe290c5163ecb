// From which size on private memory is read out of its process, by what was measured.

#include <gtest/gtest.h>

#include <array>

#include "collectives/communicator/private_reads.h"

namespace rondo::communicator {
namespace {

constexpr std::size_t kKiB = 1024;

TEST(PrivateReads, FromTheSizeOnThatIsFasterAndStaysSo) {
  EXPECT_EQ(first_faster_piece(std::array<PrivateReadTimes, 3>{
                {{64 * kKiB, 8, 9}, {128 * kKiB, 16, 14}, {256 * kKiB, 30, 25}}}),
            128 * kKiB);
  EXPECT_EQ(first_faster_piece(
                std::array<PrivateReadTimes, 2>{{{64 * kKiB, 8, 7}, {256 * kKiB, 30, 25}}}),
            64 * kKiB);
}

TEST(PrivateReads, ASizeThatIsFasterAlone_OrByLessThanATwentieth_IsLeftOut) {
  EXPECT_EQ(first_faster_piece(std::array<PrivateReadTimes, 3>{
                {{64 * kKiB, 8, 9}, {128 * kKiB, 16, 8}, {256 * kKiB, 30, 31}}}),
            0U);
  EXPECT_EQ(first_faster_piece(std::array<PrivateReadTimes, 1>{{{256 * kKiB, 30, 28.8}}}), 0U);
  EXPECT_EQ(first_faster_piece({}), 0U);
}

TEST(PrivateReads, PiecesAsLong_CountTogether) {
  EXPECT_EQ(first_faster_piece(std::array<PrivateReadTimes, 3>{
                {{64 * kKiB, 8, 9}, {256 * kKiB, 30, 20}, {256 * kKiB, 900, 1200}}}),
            0U);
}

}  // namespace
}  // namespace rondo::communicator
