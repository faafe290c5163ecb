#include "transport/ring/call_board.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace rondo::transport {
namespace {

Call numbered(std::uint64_t sequence) {
  return {.sequence = sequence,
          .fingerprint = {.collective = static_cast<std::uint8_t>(sequence % 5),
                          .root = static_cast<std::int32_t>(sequence % 7),
                          .count = sequence * 3}};
}

TEST(CallBoard, Find_ofTheLastEightCalls_yieldsEach) {
  auto board = std::make_unique<CallBoard>();
  for (std::uint64_t i = 1; i <= 20; ++i) board->write(numbered(i));
  for (std::uint64_t i = 13; i <= 20; ++i) EXPECT_EQ(board->find(i), numbered(i).fingerprint) << i;
}

TEST(CallBoard, Find_ofForgottenFutureOrNoCall_yieldsNothing) {
  auto board = std::make_unique<CallBoard>();
  EXPECT_FALSE(board->find(0));
  for (std::uint64_t i = 1; i <= 20; ++i) board->write(numbered(i));
  EXPECT_FALSE(board->find(0));
  EXPECT_FALSE(board->find(12));
  EXPECT_FALSE(board->find(21));
}

TEST(CallBoard, Find_whileAnotherThreadWrites_neverMixesTwoCalls) {
  auto board = std::make_unique<CallBoard>();
  constexpr std::uint64_t kCalls = 20'000;
  std::thread writer([&] {
    for (std::uint64_t i = 1; i <= kCalls; ++i) board->write(numbered(i));
  });
  for (std::uint64_t i = 1; i <= kCalls; ++i) {
    const Fingerprint expected = numbered(i).fingerprint;
    EXPECT_EQ(board->find(i).value_or(expected), expected);
  }
  writer.join();
}

}  // namespace
}  // namespace rondo::transport
