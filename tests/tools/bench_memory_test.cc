// Memory of the benchmark: what repeats is written by the host once, and on a device it is as long
// as it should be, and no longer.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "rondo/error.h"
#include "tools/rondo/bench/memory.h"

namespace rondo::tool {
namespace {

constexpr std::size_t kWhole = std::size_t{2} << 20;
constexpr std::size_t kPeriod = 1009 * sizeof(float);
constexpr auto kUntouched = std::byte{0x11};

std::byte byte_of(std::size_t index) {
  return static_cast<std::byte>(index % kPeriod * 7 % 251 + index % kPeriod / 251);
}

class BenchMemoryTest : public testing::TestWithParam<DeviceKind> {
 protected:
  BenchMemoryTest() : memory_(kWhole, false, Device{GetParam(), 0}) {}

  void write(std::size_t first, std::size_t bytes) {
    std::memset(memory_.on_host(), static_cast<int>(kUntouched), memory_.written_of(kWhole, 1));
    memory_.upload(0, kWhole, 1);
    const std::size_t written = memory_.written_of(bytes, kPeriod);
    for (std::size_t i = 0; i < written; ++i) memory_.on_host()[first + i] = byte_of(i);
    memory_.upload(first, bytes, kPeriod);
  }
  /// All of it, with whatever the host had of it overwritten if there is a device.
  std::vector<std::byte> read() {
    if (memory_.data() != memory_.on_host()) std::memset(memory_.on_host(), 0xEE, kWhole);
    memory_.download(0, kWhole);
    return {memory_.on_host(), memory_.on_host() + kWhole};
  }

  BenchMemory memory_;
};

TEST_P(BenchMemoryTest, WhatRepeats_IsThere_AndNothingBesides) {
  for (const std::size_t first : {std::size_t{0}, std::size_t{12}, kWhole / 2}) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{4}, kPeriod, kPeriod + 8,
                                    std::size_t{64} << 10, std::size_t{300'004}, kWhole / 2}) {
      write(first, bytes);
      std::vector<std::byte> expected(kWhole, kUntouched);
      for (std::size_t i = 0; i < bytes; ++i) expected[first + i] = byte_of(i);
      EXPECT_TRUE(read() == expected) << bytes << " bytes from " << first;
    }
  }
}

TEST_P(BenchMemoryTest, OfADevice_TheHostWritesAFewPeriods) {
  const std::size_t written = memory_.written_of(kWhole, kPeriod);
  if (GetParam() == DeviceKind::kHost) {
    EXPECT_EQ(written, kWhole);
    return;
  }
  EXPECT_LE(written, kWhole / 16);
  EXPECT_EQ(written % kPeriod, 0U);
  EXPECT_EQ(memory_.written_of(kPeriod / 2, kPeriod), kPeriod / 2);
  EXPECT_EQ(memory_.written_of(kWhole, kWhole), kWhole) << "one period, however long";
}

INSTANTIATE_TEST_SUITE_P(Kinds, BenchMemoryTest,
                         testing::Values(DeviceKind::kHost, DeviceKind::kEmulated),
                         [](const auto& parameters) {
                           return std::string(to_string(parameters.param));
                         });

/// Rounded up to pages these would be none, and so would be given.
TEST(BenchMemoryOfAllAddresses, IsRefused) {
  constexpr std::size_t kAll = static_cast<std::size_t>(-1);
  for (const std::size_t bytes : {kAll, kAll - 1, kAll - 4094}) {
    for (const bool registered : {false, true})
      EXPECT_THROW(BenchMemory(bytes, registered), Error) << bytes;
  }
}

}  // namespace
}  // namespace rondo::tool
