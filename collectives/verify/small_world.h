#pragma once

// A world of schedules as a value that can be copied, stepped and compared: what the exhaustive
// check (explore.h) walks through. It knows no clocks and no rules about memory: what is read from
// memory is what lies there, right or wrong.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collectives/schedule/fused_schedule.h"
#include "collectives/verify/lane_table.h"
#include "collectives/verify/machine.h"
#include "collectives/verify/rank_order.h"
#include "collectives/verify/value.h"
#include "collectives/verify/world_memory.h"

namespace rondo::verify {

/// The world is borrowed; its shape has been checked; it has at most 64 ranks.
class SmallWorld {
 public:
  struct Message {
    Value value;
    CellId lent = kNoCell;    ///< the value is read there when the message is consumed
    CellId stored = kNoCell;  ///< the value already lies there
    std::uint32_t row = 0;
    LaneId lane = 0;  ///< of the sender
    std::uint32_t sweep = 0;
    std::uint64_t known = 0;
  };
  struct Accesses {
    std::vector<CellId> reads;
    std::vector<CellId> writes;
  };
  struct State {
    std::vector<std::uint32_t> next;   ///< sweep, per lane
    std::vector<std::uint64_t> known;  ///< per rank: whose start it knows
    std::vector<Value> cells;
    std::vector<std::uint32_t> fill;  ///< per channel: messages in it
    std::vector<Message> slots;       ///< `credits` per channel, the oldest message first
  };

  SmallWorld(std::span<const schedule::FusedSchedule> world, const Model& model, Order order);
  SmallWorld(const SmallWorld&) = delete;  // the lanes refer to the rotation
  SmallWorld& operator=(const SmallWorld&) = delete;

  const State& start() const { return start_; }
  LaneId lanes() const { return lanes_.size(); }
  bool is_ready(const State& state, LaneId lane) const;
  /// The memory that the next sweep of a ready lane touches. Which it is depends on no values, and
  /// not on the order in which the state was reached.
  Accesses accesses(const State& state, LaneId lane) const;
  /// Runs the next sweep of a ready lane. False where that can't be done at all: sizes differ, or a
  /// stored message arrives at a sweep that doesn't simply receive it.
  bool step(State& state, LaneId lane) const;
  /// Of a state where no lane is ready: all is done, nothing is left over, and all outputs are
  /// right, and combined in the order that is asked for.
  bool ends_well(const State& state) const;
  /// Equal for equal states.
  std::uint64_t hash(const State& state) const;

 private:
  bool wait_is_over(const State& state, LaneId lane, const schedule::Sweep& sweep) const;
  std::span<const Message> messages(const State& state, std::size_t channel) const;
  Message pop(State& state, std::size_t channel) const;
  bool take(State& state, LaneId lane, const schedule::Sweep& sweep, Value& value,
            bool& stored) const;
  void put(State& state, LaneId lane, const schedule::Sweep& sweep, const Value& value) const;
  bool simply_receives(LaneId lane, const schedule::Sweep& sweep, CellId cell) const;
  CellId cell(LaneId lane, schedule::Slice slice) const {
    return layout_.cell(lanes_.rank(lane), slice);
  }

  std::span<const schedule::FusedSchedule> world_;
  Model model_;
  Order order_;
  schedule::Rotation none_;
  LaneTable lanes_;
  WorldMemory layout_;
  bool has_memory_ = true;  ///< a barrier's row is empty
  State start_;
};

}  // namespace rondo::verify
