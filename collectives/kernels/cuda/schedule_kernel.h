#pragma once

// One kernel for a whole collective: it interprets a rank's verified schedule, step by step, and
// the ranks' kernels tell each other by letters in each other's memory what is ready where. So they
// have to run at once: grids that are resident together on a device, or devices of their own.
//
// The blocks of a lane take each step together, a share of its bytes each. The last one to be
// through sends the step's letters, and then the lane goes on. When all lanes are done, the rank
// says goodbye to its peers and waits for theirs: nobody reads or writes its memory any more.
// Letters are flags that are set by the sender and taken back by the receiver, before its own
// goodbye of that call; goodbyes are counted.
//
// Memory: who writes a flag releases, and who sees it acquires, in the scope of the system; what
// other threads of the block have written comes before by the block's barrier.
// Source: the flags in peer memory of NCCL and MSCCL++; the steps are those of the host's executor
// (collectives/execute/device/device_lane.cc).

#include "collectives/kernels/cuda/reduce_kernel.h"
#include "collectives/kernels/cuda/schedule_program.h"

namespace rondo::kernels::cuda {

/// The blocks of one lane, as a grid of their own.
template <class Block>
struct LaneBlock {
  const Block& whole;
  unsigned int index;
  unsigned int count;

  RONDO_KERNEL_INLINE unsigned int thread() const { return whole.thread(); }
  RONDO_KERNEL_INLINE unsigned int threads() const { return whole.threads(); }
  RONDO_KERNEL_INLINE unsigned int block() const { return index; }
  RONDO_KERNEL_INLINE unsigned int blocks() const { return count; }
};

/// What the first thread of a block finds out for all.
struct StepView {
  ReduceParameters operands;
  std::uint32_t given_up;  ///< before the step
  std::uint32_t stopped;   ///< behind it: not the same word, which others may still be reading
  std::uint32_t moves;
  std::uint32_t stored;  ///< bit i: the i-th message target's bytes are put where they belong
};

/// What waits for its own rank's blocks.
inline constexpr std::uint32_t kNoRank = ~std::uint32_t{0};

/// Until the flag is `value`, or the host gives up: then false. `rank` is who should set it, which
/// the host is told of now and then: blocks that have waited for somebody else clear the word.
template <class Block>
RONDO_KERNEL_INLINE bool wait_for_flag(const Block& block, const ScheduleCall& call,
                                       std::uint32_t* flag, std::uint32_t value,
                                       std::uint32_t rank) {
  constexpr unsigned int kPatience = 1U << 12;
  bool told = false;
  for (unsigned int looks = 1; block.peek(flag) < value; ++looks) {
    if (looks % 64 == 0 && block.peek(&call.words->abort) != 0) return false;
    if (rank != kNoRank && looks % kPatience == 0) {
      block.store(&call.words->waits_for, rank + 1);
      told = true;
    }
    block.pause();
  }
  if (told) block.store(&call.words->waits_for, 0U);
  static_cast<void>(block.load(flag));
  return true;
}

/// The kernel ends, and the host says why.
template <class Block>
RONDO_KERNEL_INLINE void differs_from(const Block& block, const ScheduleCall& call,
                                      std::uint32_t rank) {
  block.store(&call.words->differs, rank + 1);
  block.store(&call.words->abort, 1U);
}

template <class Block>
RONDO_KERNEL_INLINE Letter* letter_of(const ScheduleCall& call, const SchedulePort& port) {
  return call.mail + letter_index(call.peers[port.peer].rank, port.lane, port.message, call.stride);
}

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
      if (!wait_for_flag(block, call, &letter->flag, 1, peer.rank)) {
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
  view.operands.count = step.bytes / call.element_bytes;
  view.operands.divisor = step.is_final != 0 ? call.divisor : 1;
  find_sources(block, call, step, view);
  if (view.given_up == 0) find_targets<Block>(call, step, view);
}

/// One source is copied as it is, whatever its type.
template <class Element, class Op, class Finish, class Block>
RONDO_KERNEL_INLINE void move_step(const Block& lane, const ScheduleStep& step, StepView& view) {
  if (view.moves == 0) return;
  if (step.sources > 1) {
    reduce_kernel<Element, Op, Finish>(lane, view.operands);
    return;
  }
  const bool in_place =
      view.operands.targets == 1 && view.operands.pointers[0] == view.operands.pointers[1];
  if (in_place) return;
  ReduceParameters bytes = view.operands;
  bytes.count = step.bytes;
  reduce_kernel<Plain<std::uint8_t>, primitives::Add, NoFinish>(lane, bytes);
}

/// By one thread, when all blocks are through: what was received is given back, and what is ready
/// is told.
template <class Block>
RONDO_KERNEL_INLINE void send_letters(const Block& block, const ScheduleCall& call,
                                      const ScheduleStep& step, const StepView& view) {
  for (std::uint32_t i = 0; i < step.sources; ++i) {
    const SchedulePort& port = call.ports[step.first_source + i];
    if (port.is_message != 0) block.store(&letter_of<Block>(call, port)->flag, 0U);
  }
  std::uint32_t message = 0;
  for (std::uint32_t i = 0; i < step.targets; ++i) {
    const SchedulePort& port = call.ports[step.first_target + i];
    if (port.is_message == 0) continue;
    const SchedulePeer& peer = call.peers[port.peer];
    // More than the peer expects: the two differ about sizes, and it has no room for them.
    if (port.message >= peer.stride) {
      differs_from(block, call, peer.rank);
      return;
    }
    Letter* const letter =
        peer.mail + letter_index(call.rank, port.lane, port.message, peer.stride);
    letter->offset = step.payload_offset;
    letter->bytes = step.bytes;
    letter->role = step.payload_role;
    letter->stored = (view.stored >> message++) & 1U;
    block.store(&letter->flag, 1U);
  }
}

/// By one thread of a rank's last block: nothing of the call is left open behind it. Goodbyes are
/// counted for each pair of ranks, since a peer may be a call ahead, and other peers' another.
template <class Block>
RONDO_KERNEL_INLINE void say_goodbye(const Block& block, const ScheduleCall& call) {
  std::uint32_t* const sent = call.goodbyes + call.world;
  std::uint32_t* const seen = sent + call.world;
  for (std::uint32_t i = 0; i < call.peer_count; ++i)
    block.store(&call.peers[i].goodbyes[call.rank], ++sent[call.peers[i].rank]);
  for (std::uint32_t i = 0; i < call.peer_count; ++i) {
    const std::uint32_t peer = call.peers[i].rank;
    if (!wait_for_flag(block, call, &call.goodbyes[peer], seen[peer] + 1, peer)) return;
    ++seen[peer];
  }
  for (std::uint32_t lane = 0; lane < call.lane_count; ++lane) call.state->lanes[lane] = {};
  call.state->lanes_done = 0;
}

/// By the first thread of each block, behind its share of a step; true if the lane goes on.
template <class Block>
RONDO_KERNEL_INLINE bool finish_step(const Block& block, const ScheduleCall& call,
                                     std::uint32_t lane, std::uint32_t step, const StepView& view) {
  LaneState& state = call.state->lanes[lane];
  const ScheduleLane& own = call.lanes[lane];
  const std::uint32_t through = block.add(&state.arrived, 1U) + 1;
  const bool is_last_step = step + 1 == own.steps;
  if (through == (step + 1) * call.blocks_per_lane) {
    send_letters(block, call, call.steps[own.first_step + step], view);
    block.store(&state.finished, step + 1);
    if (is_last_step && block.add(&call.state->lanes_done, 1U) + 1 == call.lane_count)
      say_goodbye(block, call);
    return true;
  }
  // Behind the last step nobody looks at the lane's state: the next call's begins at 0.
  return is_last_step || wait_for_flag(block, call, &state.finished, step + 1, kNoRank);
}

/// Grid: lane_count * blocks_per_lane blocks. Every lane has steps.
template <class Element, class Op, class Finish, class Block>
RONDO_KERNEL_INLINE void schedule_kernel(const Block& block, const ScheduleCall& call) {
  StepView& view = *block.template shared<StepView, 1>();
  const std::uint32_t lane = block.block() / call.blocks_per_lane;
  const LaneBlock<Block> lane_block{block, block.block() % call.blocks_per_lane,
                                    call.blocks_per_lane};
  const ScheduleLane& own = call.lanes[lane];
  for (std::uint32_t i = 0; i < own.steps; ++i) {
    const ScheduleStep& step = call.steps[own.first_step + i];
    if (block.thread() == 0) {
      prepare_step(block, call, step, view);
      // One that comes to its turn after all have given up touches nothing.
      if (i == 0 && block.peek(&call.words->abort) != 0) view.given_up = 1;
    }
    block.sync();
    if (view.given_up != 0) return;
    move_step<Element, Op, Finish>(lane_block, step, view);
    block.sync();
    if (block.thread() == 0) view.stopped = finish_step(block, call, lane, i, view) ? 0 : 1;
    block.sync();
    if (view.stopped != 0) return;
  }
}

}  // namespace rondo::kernels::cuda
