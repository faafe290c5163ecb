#pragma once

// One kernel for a whole collective: it interprets a rank's verified schedule, step by step, and
// the ranks' kernels tell each other by letters in each other's memory what is ready where. So they
// have to run at once: grids that are resident together on a device, or devices of their own.
//
// The blocks of a lane take each step together, a share of its bytes each, and the last of them who
// is free; the last one to be through sends the step's letters, and then the lane goes on. Of a
// step that moves nothing the lane's first block sends them, and nobody waits. Who is through with
// all steps leaves; the last block of the rank says goodbye to its peers and waits for theirs:
// nobody reads or writes its memory any more (schedule_letters.h).
//
// Source: the flags in peer memory of NCCL and MSCCL++; the steps are those of the host's executor
// (collectives/execute/device/device_lane.cc).

#include "collectives/kernels/cuda/reduce_kernel.h"
#include "collectives/kernels/cuda/schedule_letters.h"
#include "collectives/kernels/cuda/schedule_program.h"

namespace rondo::kernels::cuda {

/// The blocks of one lane, as a grid of their own.
template <class Block>
struct LaneBlock {
  const Block& whole;
  unsigned int index;
  unsigned int count;
  std::uint32_t* taken;  ///< of a step's last tiles, by all blocks of the lane
  std::uint32_t* own;    ///< which of them this block took; its threads share the word

  RONDO_KERNEL_INLINE unsigned int thread() const { return whole.thread(); }
  RONDO_KERNEL_INLINE unsigned int threads() const { return whole.threads(); }
  RONDO_KERNEL_INLINE unsigned int block() const { return index; }
  RONDO_KERNEL_INLINE unsigned int blocks() const { return count; }

  static constexpr std::uint64_t kMostLast = 16;

  /// Three quarters of the tiles or more by turns, the others whoever is through with its own:
  /// memory serves some multiprocessors a twentieth faster than others, and a step ends with the
  /// slowest.
  RONDO_KERNEL_INLINE std::uint64_t next_tile(std::uint64_t tile, std::uint64_t tiles) const {
    const std::uint64_t rounds = tiles / count;
    const std::uint64_t last = rounds / 4 < kMostLast ? rounds / 4 : kMostLast;
    const std::uint64_t by_turns = (rounds - last) * count;
    if (by_turns < 4U * count || tile + count < by_turns) return tile + count;
    whole.sync();  // all have read the word
    if (whole.thread() == 0) *own = whole.add(taken, 1U);
    whole.sync();
    return by_turns + *own;
  }
};

/// What the first thread of a block finds out for all.
struct StepView {
  ReduceParameters operands;
  std::uint32_t given_up;  ///< before the step
  std::uint32_t stopped;   ///< behind it: not the same word, which others may still be reading
  std::uint32_t moves;
  std::uint32_t stored;  ///< bit i: the i-th message target's bytes are put where they belong
};

/// What the threads of a block have in common.
struct BlockState {
  StepView views[2];  ///< by turns: threads may still look at a step's when the next is prepared
  std::uint32_t taken;
};

/// Waits for the step's messages, and tells where its sources lie.
template <class Block>
RONDO_KERNEL_INLINE void find_sources(const Block& block, const ScheduleCall& call,
                                      const ScheduleStep& step, StepView& view) {
  for (std::uint32_t i = 0; i < step.sources; ++i) {
    const SchedulePort& port = call.ports[step.first_source + i];
    std::uint64_t address = call.bases[port.role] + port.offset;
    if (port.is_message != 0) {
      Letter* const letter = letter_of<Block>(call, port);
      const SchedulePeer& peer = call.peers[port.peer];
      const std::uint32_t number = goodbyes_seen(call)[peer.rank] + 1;
      const auto is_there = [number](std::uint32_t flag) { return flag == number; };
      if (!wait_for_flag(block, call, &letter->flag, peer.rank, is_there)) {
        view.given_up = 1;
        return;
      }
      // Where ranks' parts have sizes of their own, the two of a message may differ about them.
      if (letter->bytes != step.bytes) {
        differs_from(block, call, peer.rank);
        view.given_up = 1;
        return;
      }
      if (letter->stored != 0) view.moves = 0;
      address = peer.bases[letter->role] + letter->offset;
    }
    view.operands.pointers[i] = reinterpret_cast<void*>(address);
  }
}

template <class Block>
RONDO_KERNEL_INLINE void find_targets(const ScheduleCall& call, const ScheduleStep& step,
                                      StepView& view) {
  std::uint32_t count = 0;
  std::uint32_t message = 0;
  for (std::uint32_t i = 0; i < step.targets; ++i) {
    const SchedulePort& port = call.ports[step.first_target + i];
    std::uint64_t base = call.bases[port.role];
    if (port.is_message != 0) {
      // Moved bytes are read by who receives them; sums are stored, where they may be.
      const bool stores = port.stores != 0 && step.sources > 1 && step.bytes != 0;
      if (stores) view.stored |= 1U << message;
      ++message;
      if (!stores) continue;
      base = call.peers[port.peer].bases[port.role];
    }
    view.operands.pointers[step.sources + count++] = reinterpret_cast<void*>(base + port.offset);
  }
  view.operands.targets = count;
  if (count == 0 || step.bytes == 0) view.moves = 0;
}

/// By the first thread of each block.
template <class Block>
RONDO_KERNEL_INLINE void prepare_step(const Block& block, const ScheduleCall& call,
                                      const ScheduleStep& step, StepView& view) {
  view.given_up = 0;
  view.moves = 1;
  view.stored = 0;
  view.operands.sources = step.sources;
  // One source is copied as it is, whatever its type.
  view.operands.count = step.sources > 1 ? step.bytes / call.element_bytes : step.bytes;
  view.operands.divisor = step.is_final != 0 ? call.divisor : 1;
  find_sources(block, call, step, view);
  if (view.given_up == 0) find_targets<Block>(call, step, view);
}

template <class Element, class Op, class Finish, class Block>
RONDO_KERNEL_INLINE void move_step(const Block& lane, const ReduceParameters& operands) {
  if (operands.sources > 1) {
    reduce_kernel<Element, Op, Finish>(lane, operands);
    return;
  }
  const bool in_place = operands.targets == 1 && operands.pointers[0] == operands.pointers[1];
  if (!in_place) reduce_kernel<Plain<std::uint8_t>, primitives::Add, NoFinish>(lane, operands);
}

/// By the first thread of each block, behind its share of a step that moves bytes, the lane's
/// `moved`th; true if the lane goes on.
template <class Block>
RONDO_KERNEL_INLINE bool finish_step(const Block& block, const ScheduleCall& call,
                                     std::uint32_t lane, const ScheduleStep& step,
                                     const StepView& view, std::uint32_t moved) {
  LaneState& state = call.state->lanes[lane];
  if (block.add(&state.arrived, 1U) + 1 == moved * call.blocks_per_lane) {
    send_letters(block, call, step, view.stored);
    state.taken = 0;
    block.store(&state.finished, moved);
    return true;
  }
  const auto is_finished = [moved](std::uint32_t finished) { return finished >= moved; };
  return wait_for_flag(block, call, &state.finished, kNoRank, is_finished);
}

/// Grid: lane_count * blocks_per_lane blocks. Every lane has steps.
template <class Element, class Op, class Finish, class Block>
RONDO_KERNEL_INLINE void schedule_kernel(const Block& block, const ScheduleCall& call) {
  BlockState& own_state = *block.template shared<BlockState, 1>();
  const std::uint32_t lane = block.block() / call.blocks_per_lane;
  const LaneBlock<Block> lane_block{block, block.block() % call.blocks_per_lane,
                                    call.blocks_per_lane, &call.state->lanes[lane].taken,
                                    &own_state.taken};
  const ScheduleLane& own = call.lanes[lane];
  if (block.block() == 0 && block.thread() == 0) begin_call(block, call);
  std::uint32_t moved = 0;
  for (std::uint32_t i = 0; i < own.steps; ++i) {
    const ScheduleStep& step = call.steps[own.first_step + i];
    StepView& view = own_state.views[i % 2];
    if (block.thread() == 0) {
      prepare_step(block, call, step, view);
      if (i == 0 && view.given_up == 0) view.given_up = may_begin(block, call) ? 0 : 1;
    }
    block.sync();
    if (view.given_up != 0) return;
    if (view.moves == 0) {
      if (lane_block.block() == 0 && block.thread() == 0)
        send_letters(block, call, step, view.stored);
      continue;
    }
    move_step<Element, Op, Finish>(lane_block, view.operands);
    ++moved;
    block.sync();
    if (block.thread() == 0)
      view.stopped = finish_step(block, call, lane, step, view, moved) ? 0 : 1;
    block.sync();
    if (view.stopped != 0) return;
  }
  const std::uint32_t blocks = call.lane_count * call.blocks_per_lane;
  if (block.thread() == 0 && block.add(&call.state->left, 1U) + 1 == blocks)
    say_goodbye(block, call);
}

}  // namespace rondo::kernels::cuda
