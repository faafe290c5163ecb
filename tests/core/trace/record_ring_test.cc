#include "core/trace/record_ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace rondo::trace {
namespace {

/// All of it follows from one number, so that parts of two records don't pass for one.
CallRecord record_of(std::uint64_t number) {
  CallRecord record;
  record.sequence = record.count = record.bytes = record.entered = record.begun = number;
  record.first_byte = record.last_byte = record.done = record.wait = record.reduce = number;
  record.link = record.link_bytes = number;
  record.link_peer = static_cast<std::int32_t>(number);
  return record;
}

bool is_whole(const CallRecord& record) {
  const std::uint64_t n = record.sequence;
  return record.count == n && record.bytes == n && record.entered == n && record.begun == n &&
         record.first_byte == n && record.last_byte == n && record.done == n && record.wait == n &&
         record.reduce == n && record.link == n && record.link_bytes == n &&
         record.link_peer == static_cast<std::int32_t>(n);
}

TEST(RecordRing, Empty_HasNothing) {
  const RecordRing ring(3);
  EXPECT_TRUE(ring.read().empty());
  EXPECT_EQ(ring.pushed(), 0U);
}

TEST(RecordRing, Full_KeepsTheLastInOrder) {
  for (const std::size_t capacity : {1U, 3U, 8U}) {
    RecordRing ring(capacity);
    for (std::uint64_t i = 1; i <= 3 * capacity + 1; ++i) ring.push(record_of(i));
    const auto records = ring.read();
    ASSERT_EQ(records.size(), capacity);
    for (std::size_t i = 0; i < capacity; ++i)
      EXPECT_EQ(records[i].sequence, 2 * capacity + 2 + i) << capacity;
    EXPECT_EQ(ring.pushed(), 3 * capacity + 1);
  }
}

TEST(RecordRing, ReadWhileWritten_NoRecordIsTorn) {
  RecordRing ring(4);
  std::atomic<bool> ended = false;
  std::size_t seen = 0;
  std::size_t torn = 0;
  std::size_t disordered = 0;
  std::jthread reader([&] {
    while (!ended || seen == 0) {
      std::uint64_t last = 0;
      for (const CallRecord& record : ring.read()) {
        ++seen;
        torn += is_whole(record) ? 0U : 1U;
        disordered += record.sequence > last ? 0U : 1U;
        last = record.sequence;
      }
    }
  });
  for (std::uint64_t i = 1; i <= 200'000; ++i) ring.push(record_of(i));
  ended = true;
  reader.join();
  EXPECT_GT(seen, 0U);
  EXPECT_EQ(torn, 0U);
  EXPECT_EQ(disordered, 0U);
}

}  // namespace
}  // namespace rondo::trace
