#include "transport/wire/call_history.h"

#include <gtest/gtest.h>

namespace rondo::transport {
namespace {

Fingerprint with_count(std::uint64_t count) {
  Fingerprint fingerprint;
  fingerprint.count = count;
  return fingerprint;
}

TEST(CallHistory, AfterManyCalls_KnowsTheNewest64) {
  CallHistory history;
  for (std::uint64_t sequence = 1; sequence <= 200; ++sequence)
    history.note(sequence, with_count(sequence * 3));
  for (std::uint64_t sequence = 1; sequence <= 136; ++sequence)
    EXPECT_FALSE(history.find(sequence)) << sequence;
  for (std::uint64_t sequence = 137; sequence <= 200; ++sequence) {
    ASSERT_TRUE(history.find(sequence)) << sequence;
    EXPECT_EQ(history.find(sequence)->count, sequence * 3);
  }
  EXPECT_FALSE(history.find(0));
  EXPECT_FALSE(history.find(201));
}

TEST(CallHistory, LateNewsOfAnOldCall_DoesNotReplaceANewerOne) {
  CallHistory history;
  history.note(70, with_count(70));
  history.note(6, with_count(6));
  ASSERT_TRUE(history.find(70));
  EXPECT_FALSE(history.find(6));
}

TEST(CheckCall, SameNumberOtherArguments_NamesBothRanksAndCallsAlikeOnBoth) {
  const Call of_rank_3{7, 1, with_count(1009)};
  const Status on_3 = check_call(3, of_rank_3, 0, 7, with_count(1010));
  const Status on_0 = check_call(0, {7, 1, with_count(1010)}, 3, 7, with_count(1009));
  EXPECT_EQ(on_3.code(), ErrorCode::kMismatch);
  EXPECT_EQ(on_3.culprit(), 0);
  EXPECT_EQ(on_0.culprit(), 3);
  EXPECT_EQ(on_3.message(), on_0.message());
  for (const char* part : {"call #7", "rank 0", "rank 3", "1009", "1010"})
    EXPECT_NE(on_3.message().find(part), std::string::npos) << on_3.message();
}

TEST(CheckCall, EqualCallsOrAnotherNumber_IsNoMismatch) {
  const Call own{7, 1, with_count(5)};
  EXPECT_TRUE(check_call(0, own, 1, 7, with_count(5)).ok());
  EXPECT_TRUE(check_call(0, own, 1, 8, with_count(6)).ok());
}

}  // namespace
}  // namespace rondo::transport
