#include "collectives/verify/world_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::verify {
namespace {

using schedule::BufferRole;
using schedule::Slice;

class WorldMemoryTest : public testing::Test {
 protected:
  static constexpr Slice kInput{BufferRole::kInput, 0};
  static constexpr Slice kOutput{BufferRole::kOutput, 0};

  WorldMemoryTest() {
    for (int rank = 0; rank < 2; ++rank) {
      schedule::FusedSchedule own;
      own.request = {.world = 2, .rank = rank};
      own.lanes.resize(2);
      world_.push_back(own);
      clocks_.advance(static_cast<std::uint32_t>(2 * rank), start(rank));
      clocks_.advance(static_cast<std::uint32_t>(2 * rank + 1), start(rank));
    }
  }

  static Event start(int rank) { return {static_cast<std::uint32_t>(2 * rank), kStartEvent}; }
  WorldMemory memory(bool in_place) {
    const auto none = schedule::Rotation::none(2);
    return {world_, LaneTable(world_, none), in_place};
  }
  /// Lane `to` hears of all that lane `from` did.
  void tell(std::uint32_t from, std::uint32_t to) {
    const auto snapshot = clocks_.take(from, 1);
    clocks_.join(to, snapshot);
    clocks_.release(snapshot);
  }
  Event step(std::uint32_t lane) {
    const Event event = sweep_event(lane, steps_++);
    clocks_.advance(lane, event);
    return event;
  }

  std::vector<schedule::FusedSchedule> world_;
  Clocks clocks_{4};
  std::size_t steps_ = 0;
};

TEST_F(WorldMemoryTest, InPlace_InputAndOutputAreOneCell) {
  EXPECT_EQ(memory(true).cell(1, kInput), memory(true).cell(1, kOutput));
  EXPECT_NE(memory(false).cell(1, kInput), memory(false).cell(1, kOutput));
}

TEST_F(WorldMemoryTest, ReadOfNothing_IsWrong) {
  WorldMemory m = memory(false);
  EXPECT_NE(m.read(m.cell(0, kOutput), step(0), clocks_).text, "");
}

TEST_F(WorldMemoryTest, LanesWithoutAWait_Race) {
  WorldMemory m = memory(false);
  const CellId cell = m.cell(0, kOutput);
  EXPECT_EQ(m.write(cell, {}, step(0), clocks_).text, "");
  EXPECT_NE(m.read(cell, step(1), clocks_).text, "");
  tell(0, 1);
  EXPECT_EQ(m.read(cell, step(1), clocks_).text, "");
  EXPECT_NE(m.write(cell, {}, step(0), clocks_).text, "") << "the other lane may still read";
}

TEST_F(WorldMemoryTest, WriteToAPendingSource_IsWrongUntilItsConsumerIsKnown) {
  WorldMemory m = memory(false);
  const CellId cell = m.cell(0, kOutput);
  EXPECT_EQ(m.write(cell, {}, step(0), clocks_).text, "");
  const Event sender = step(0);
  const LoanId loan = m.lend(cell, sender);
  tell(0, 2);
  m.consume(loan, step(2));
  const Conflict found = m.write(cell, {}, step(0), clocks_);
  EXPECT_THAT(found.text, testing::HasSubstr("pending"));
  EXPECT_EQ(found.other.lane, sender.lane);
  EXPECT_EQ(found.other.number, sender.number);
  const LoanId again = m.lend(cell, step(0));
  m.consume(again, step(2));
  tell(2, 0);
  EXPECT_EQ(m.write(cell, {}, step(0), clocks_).text, "");
}

TEST_F(WorldMemoryTest, StoreFromPeer_NeedsTheOwnersStartAndItsLastAccess) {
  WorldMemory m = memory(false);
  const CellId cell = m.cell(1, kOutput);
  EXPECT_NE(m.store_from_peer(cell, {}, step(0), clocks_, {}).text, "")
      << "rank 1 may not have begun";
  WorldMemory fresh = memory(false);
  tell(2, 0);
  EXPECT_EQ(fresh.store_from_peer(cell, {}, step(0), clocks_, {}).text, "");
  EXPECT_NE(fresh.read(cell, step(2), clocks_).text, "") << "the store may still go on";
  tell(0, 2);
  fresh.note_store(cell, step(2));
  EXPECT_EQ(fresh.read(cell, step(2), clocks_).text, "");
}

TEST_F(WorldMemoryTest, StoreFromPeer_MayReplaceWhatItConsumes) {
  WorldMemory m = memory(true);
  const CellId cell = m.cell(1, kInput);
  m.initialise(cell, contribution(1, 0));
  EXPECT_EQ(m.read(cell, step(2), clocks_).text, "");
  const LoanId loan = m.lend(cell, step(2));
  tell(2, 0);
  const Event event = step(0);
  m.consume(loan, event);
  const std::vector<LoanId> own{loan};
  EXPECT_EQ(m.store_from_peer(cell, {}, event, clocks_, own).text, "");
}

}  // namespace
}  // namespace rondo::verify
