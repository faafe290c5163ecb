// Channels of one world may differ, some lend and some copy; so may ranks, some in place and some
// not; and worlds may be large in other ways than by their ranks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/schedule/rank_schedule.h"
#include "collectives/verify/verify.h"

namespace rondo::verify {
namespace {

using schedule::BufferRole;
using schedule::Builder;
using schedule::Collective;
using schedule::FusedSchedule;
using schedule::Rank;
using schedule::Slice;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Slice kInput{BufferRole::kInput, 0};
constexpr Slice kOutput{BufferRole::kOutput, 0};

struct World {
  int size = 2;
  std::uint32_t rows = 1;
  Collective collective = Collective::kAllReduce;

  std::vector<FusedSchedule> write(const std::function<void(Builder&, Rank)>& ops) const {
    std::vector<FusedSchedule> list;
    for (Rank rank = 0; rank < size; ++rank) {
      Builder builder({.collective = collective, .world = size, .rank = rank, .rows = rows});
      ops(builder, rank);
      list.push_back(schedule::lower(std::move(builder).finish()));
    }
    return list;
  }
};

std::string refusal(const std::vector<FusedSchedule>& world) {
  const auto report = verify_at_once(world);
  return report.ok() ? "accepted" : report.status().to_string();
}

/// Rank 0's lane 1 writes to what lane 2 lends to rank 1. All it has waited for is that rank 2 took
/// a message that isn't lent, it may be; rank 2 takes that behind rank 1's, though.
void add_rank_0(Builder& b, bool waits_for_the_loan) {
  const Slice slot = b.scratch(0);
  b.send(2, kInput);
  b.recv(2, kOutput);
  b.wait(0, 0, 1);
  if (waits_for_the_loan) b.wait(2, 1, 1);
  b.recv(2, slot, 1);
  b.copy(kInput, slot, 2);
  b.send(1, slot, 2);
  b.send(2, kInput, 2);
}

void add_rank_1(Builder& b) {
  const Slice slot = b.scratch(0);
  b.wait(2, 0, 0);
  b.send(2, slot);
  b.recv(2, kOutput);
  b.recv_reduce(0, kInput, slot, false, 2);
}

void add_rank_2(Builder& b) {
  const Slice token = b.scratch(0);
  const Slice own = b.scratch(0);
  const Slice late = b.scratch(0);
  b.copy(kInput, own);
  b.recv_reduce(1, kInput, kOutput, true);
  b.recv(0, token);
  b.wait(2, 0, 0);
  b.send(0, kOutput);
  b.send(1, kOutput);
  b.wait(0, 0, 1);
  b.wait(2, 0, 1);
  b.send(0, own, 1);
  b.recv(0, late, 2);
}

std::vector<FusedSchedule> lent_and_copied(bool waits_for_the_loan) {
  return World{.size = 3}.write([&](Builder& b, Rank rank) {
    if (rank == 0) add_rank_0(b, waits_for_the_loan);
    if (rank == 1) add_rank_1(b);
    if (rank == 2) add_rank_2(b);
  });
}

TEST(MixedChannels, AWaitForWhatIsCopied_IsNoneForWhatIsLent) {
  EXPECT_THAT(refusal(lent_and_copied(false)),
              AllOf(HasSubstr("scratch 0: writes to memory whose send may still be pending (rank "
                              "0, op 2/3 send -> rank 1"),
                    HasSubstr("direct and eager channels")));
  EXPECT_EQ(refusal(lent_and_copied(true)), "accepted");
}

/// Rank 0's last sum, x0 + x1, is made of what it sends as its input behind its output's first
/// write: in place that is x1, and rank 1's in place is x0, so that x1 + x0 comes out of both.
TEST(MixedRanks, InputsReadBehindTheOutput_AreRefusedThoughAllInPlaceAreRight) {
  const auto world = World{}.write([](Builder& b, Rank rank) {
    const Slice own = b.scratch(0);
    b.copy(kInput, own);
    b.send(1 - rank, own);
    b.recv(1 - rank, kOutput);
    if (rank == 0) {
      b.send(1, kInput);
      b.recv(1, kOutput);
    } else {
      b.recv_reduce(0, kInput, kOutput, true);
      b.send(0, kOutput);
    }
  });
  EXPECT_THAT(refusal(world), AllOf(HasSubstr("input 0: reads the input of a rank in place behind"),
                                    HasSubstr("in place)")));
}

/// In place it is still there.
TEST(MixedRanks, InputsReadBehindACopyOfThem_AreRight) {
  const auto world = World{}.write([](Builder& b, Rank rank) {
    const Slice own = b.scratch(0);
    b.copy(kInput, kOutput);
    b.copy(kInput, own);
    b.send(1 - rank, own);
    b.recv_reduce(1 - rank, kInput, kOutput, true);
  });
  EXPECT_EQ(refusal(world), "accepted");
}

TEST(LargeWorlds, ThatSendManyMessagesBeforeTheyReceive_AreRight) {
  constexpr std::uint32_t kRows = 300;
  const auto world = World{.rows = kRows}.write([](Builder& b, Rank rank) {
    std::vector<Slice> copies;
    for (std::uint32_t row = 0; row < kRows; ++row) {
      copies.push_back(b.scratch(row));
      b.copy({BufferRole::kInput, row}, copies.back());
    }
    for (const Slice copy : copies) b.send(1 - rank, copy);
    for (std::uint32_t row = 0; row < kRows; ++row)
      b.recv_reduce(1 - rank, {BufferRole::kInput, row}, {BufferRole::kOutput, row}, true);
  });
  const auto report = verify(world);
  ASSERT_TRUE(report.ok()) << report.status().to_string();
  EXPECT_EQ(report->least_credits, 512U);
}

/// All of them under way at once, each with its own clock of all lanes.
TEST(LargeWorlds, WhoseProofWouldTakeTooMuchMemory_AreRefused) {
  constexpr int kRanks = 512;
  constexpr std::uint16_t kLanes = 6;
  constexpr int kMessages = 48;
  const World world{.size = kRanks, .collective = Collective::kBarrier};
  const auto schedules = world.write([](Builder& b, Rank rank) {
    const auto peer = [rank](int steps) { return (rank + steps + kRanks) % kRanks; };
    const auto far = [&peer](int sign, int i) { return peer(sign * (257 + i)); };
    for (std::uint16_t lane = 0; lane < kLanes; ++lane) {
      for (int i = 0; i < kMessages; ++i) {
        b.send(peer(1), kInput, lane);
        b.recv(peer(-1), kOutput, lane);
        b.send(far(1, i), kInput, lane);
      }
      // Nobody receives before all have sent.
      for (int step = 1; step < kRanks; step *= 2) {
        b.send(peer(step), kInput, lane);
        b.recv(peer(-step), kOutput, lane);
      }
      for (int i = 0; i < kMessages; ++i) b.recv(far(-1, i), kOutput, lane);
    }
  });
  EXPECT_THAT(refusal(schedules), HasSubstr("the proof would need more than 512 MiB"));
}

}  // namespace
}  // namespace rondo::verify
