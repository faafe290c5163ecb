#include "core/trace/last_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rondo/error.h"

namespace rondo::trace {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

CallRecord call(std::uint64_t sequence, std::uint16_t series) {
  CallRecord record;
  record.sequence = sequence;
  record.series = series;
  record.bytes = 100 + sequence;
  record.begun = 1000;
  record.done = 1'000'000;
  return record;
}

TEST(LastCalls, NoCall_SaysNothing) { EXPECT_EQ(last_calls({}, {}, TickScale(tick_anchor())), ""); }

TEST(LastCalls, FailedCall_IsLastWithWhomItWaitedFor) {
  SeriesTable table;
  const auto ring = table.find("all_reduce", "ring", "shm").index;
  const auto send = table.find("send", "message", "tcp").index;
  std::vector<CallRecord> records{call(6, ring), call(0, send), call(7, ring)};
  records[1].root = 3;
  records[2].wait = 500'000;
  records[2].waited_longest_for = 2;
  records[2].result = static_cast<std::uint8_t>(ErrorCode::kTimeout);
  EXPECT_THAT(last_calls(records, table.all(), TickScale(tick_anchor())),
              MatchesRegex("#6 all_reduce 106 bytes ring shm [0-9.]+ us; "
                           "send with rank 3 100 bytes message tcp [0-9.]+ us; "
                           "#7 all_reduce 107 bytes ring shm [0-9.]+ us "
                           "\\(waited [0-9.]+ us, longest for rank 2\\) Timeout"));
}

TEST(LastCalls, ManyCalls_NewestAreTold) {
  SeriesTable table;
  const auto ring = table.find("all_reduce", "ring", "shm").index;
  std::vector<CallRecord> records;
  for (std::uint64_t i = 1; i <= kLastCallsTold + 2; ++i) records.push_back(call(i, ring));
  records.push_back(call(99, 7));  // of a kind that isn't known
  const std::string text = last_calls(records, table.all(), TickScale(tick_anchor()));
  EXPECT_THAT(text, Not(HasSubstr("#3 ")));
  EXPECT_THAT(text, HasSubstr("#4 "));
  EXPECT_THAT(text, HasSubstr("#10 "));
  EXPECT_THAT(text, Not(HasSubstr("#99")));
}

}  // namespace
}  // namespace rondo::trace
