#include "tools/rondo/run/shutdown.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace rondo::tool {
namespace {

using std::chrono::milliseconds;

constexpr int exited(int code) { return code << 8; }
constexpr int killed(int number) { return number; }

const Time kStart = Time(std::chrono::hours(1));

TEST(Shutdown, AllRanks_endWell_nothingIsDue) {
  Shutdown shutdown;
  EXPECT_FALSE(shutdown.rank_ended(0, 10, exited(0), kStart));
  EXPECT_FALSE(shutdown.next_due());
  EXPECT_EQ(shutdown.due_signal(kStart + kGrace * 100), 0);
  EXPECT_EQ(shutdown.exit_code(), 0);
}

TEST(Shutdown, Rank_fails_othersGetTimeThenTermThenKill) {
  Shutdown shutdown;
  EXPECT_EQ(shutdown.rank_ended(2, 4242, killed(SIGKILL), kStart),
            "rank 2 (pid 4242) was killed by signal 9 (Killed)");
  EXPECT_EQ(shutdown.due_signal(kStart + kGrace - milliseconds(1)), 0);
  EXPECT_EQ(*shutdown.next_due(), kStart + kGrace);
  EXPECT_EQ(shutdown.due_signal(kStart + kGrace), SIGTERM);
  EXPECT_EQ(shutdown.due_signal(kStart + kGrace), 0);
  EXPECT_EQ(*shutdown.next_due(), kStart + 2 * kGrace);
  EXPECT_EQ(shutdown.due_signal(kStart + 2 * kGrace), SIGKILL);
  EXPECT_EQ(shutdown.exit_code(), 128 + SIGKILL);
}

TEST(Shutdown, FirstFailure_wins) {
  Shutdown shutdown;
  EXPECT_EQ(shutdown.rank_ended(1, 11, exited(3), kStart), "rank 1 (pid 11) exited with code 3");
  EXPECT_FALSE(shutdown.rank_ended(0, 10, killed(SIGTERM), kStart + kGrace));
  EXPECT_EQ(shutdown.exit_code(), 3);
  EXPECT_EQ(*shutdown.next_due(), kStart + kGrace);
}

TEST(Shutdown, RankKilled_ReportedAfterPeersExit_isTheCause) {
  Shutdown shutdown;
  EXPECT_TRUE(shutdown.rank_ended(1, 11, exited(3), kStart));
  EXPECT_EQ(shutdown.rank_ended(2, 12, killed(SIGKILL), kStart + milliseconds(20)),
            "rank 2 (pid 12) was killed by signal 9 (Killed)");
  EXPECT_FALSE(shutdown.rank_ended(0, 10, killed(SIGSEGV), kStart + milliseconds(30)));
  EXPECT_EQ(shutdown.exit_code(), 128 + SIGKILL);
  EXPECT_EQ(*shutdown.next_due(), kStart + kGrace) << "the grace counts from the first report";
}

TEST(Shutdown, RankKilled_LongAfterAnotherExited_isNotTheCause) {
  Shutdown shutdown;
  EXPECT_TRUE(shutdown.rank_ended(1, 11, exited(3), kStart));
  EXPECT_FALSE(shutdown.rank_ended(2, 12, killed(SIGKILL), kStart + kSettle));
  EXPECT_EQ(shutdown.exit_code(), 3);
}

TEST(Shutdown, Stop_termsAtOnceAndKeepsItsCode) {
  Shutdown shutdown;
  shutdown.stop(124, kStart);
  EXPECT_EQ(shutdown.due_signal(kStart), SIGTERM);
  EXPECT_TRUE(shutdown.rank_ended(0, 10, killed(SIGTERM), kStart));
  EXPECT_EQ(shutdown.exit_code(), 124);
  shutdown.stop(130, kStart + milliseconds(5));
  EXPECT_EQ(*shutdown.next_due(), kStart + kGrace) << "asking again must not put SIGKILL off";
}

TEST(Shutdown, Kill_isDueAtOnceAndKeepsItsCode) {
  Shutdown shutdown;
  shutdown.kill(130, kStart);
  EXPECT_EQ(shutdown.due_signal(kStart), SIGKILL);
  EXPECT_TRUE(shutdown.rank_ended(0, 10, killed(SIGKILL), kStart));
  EXPECT_EQ(shutdown.exit_code(), 130);
}

TEST(Shutdown, SignalsCloseTogether_areOneWish) {
  Shutdown shutdown;
  EXPECT_FALSE(shutdown.is_asked_again(kStart));
  EXPECT_FALSE(shutdown.is_asked_again(kStart));
  EXPECT_FALSE(shutdown.is_asked_again(kStart + kOneWish - milliseconds(1)));
  EXPECT_TRUE(shutdown.is_asked_again(kStart + kOneWish)) << "it counts from the first";
  EXPECT_TRUE(shutdown.is_asked_again(kStart + kGrace));
}

TEST(Shutdown, Kill_whileAnEndIsUnderWay_waitsForNoGrace) {
  Shutdown shutdown;
  shutdown.rank_ended(0, 10, exited(7), kStart);
  shutdown.kill(130, kStart + milliseconds(5));
  EXPECT_EQ(shutdown.due_signal(kStart + milliseconds(5)), SIGKILL);
  EXPECT_EQ(shutdown.exit_code(), 7);
}

}  // namespace
}  // namespace rondo::tool
