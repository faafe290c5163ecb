#pragma once

// What the kernels of a call's ranks tell each other, and what their hosts tell them: letters,
// goodbyes, and that a call is given up. Each waits by a flag in its own rank's memory.
//
// A letter's flag is the call's number, counted by the goodbyes of the two ranks, so that nobody
// has to take it back. The host's words are far away: a look at them takes a microsecond, and of
// many blocks one after the other. So the first block looks when the kernel begins, and whoever
// waits very long; they tell the others by a word of the device's.
//
// Memory: who writes a flag releases, and who sees it acquires, in the scope of the system; what
// other threads of the block have written comes before by the block's barrier.

#include "collectives/kernels/cuda/schedule_program.h"
#include "core/device/primitives/block.h"

namespace rondo::kernels::cuda {

/// What waits for its own rank's blocks.
inline constexpr std::uint32_t kNoRank = ~std::uint32_t{0};

/// Whether the host has given up, as far as the device knows; with `asks`, whether it has.
template <class Block>
RONDO_KERNEL_INLINE bool is_given_up(const Block& block, const ScheduleCall& call, bool asks) {
  if (asks && block.peek(&call.words->abort) != 0) block.store(&call.state->given_up, 1U);
  return block.peek(&call.state->given_up) != 0;
}

/// Until the flag has reached what `reached` asks for, or the host gives up: then false. `rank` is
/// who should set it, which the host is told of now and then: blocks that have waited for somebody
/// else clear the word.
template <class Block, class Reached>
RONDO_KERNEL_INLINE bool wait_for_flag(const Block& block, const ScheduleCall& call,
                                       std::uint32_t* flag, std::uint32_t rank,
                                       const Reached& reached) {
  static_assert(Block::kFarLooks % Block::kNearLooks == 0);
  bool told = false;
  for (unsigned int looks = 1; !reached(block.peek(flag)); ++looks) {
    const bool is_long = looks % Block::kFarLooks == 0;
    if (looks % Block::kNearLooks == 0 && is_given_up(block, call, is_long)) return false;
    if (rank != kNoRank && is_long) {
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
  block.store(&call.state->given_up, 1U);
}

/// Calls with each rank, by its number: what goodbyes were sent to it, and what were seen of it.
RONDO_KERNEL_INLINE std::uint32_t* goodbyes_sent(const ScheduleCall& call) {
  return call.goodbyes + call.world;
}
RONDO_KERNEL_INLINE std::uint32_t* goodbyes_seen(const ScheduleCall& call) {
  return call.goodbyes + 2 * call.world;
}

/// By one thread of the rank: lets its blocks begin, unless the host has given up.
template <class Block>
RONDO_KERNEL_INLINE void begin_call(const Block& block, const ScheduleCall& call) {
  if (!is_given_up(block, call, true)) block.store(&call.state->begun, 1U);
}

/// A kernel that comes to its turn after the host has given up touches nothing, whatever state one
/// before it, that was ended, has left. By the first thread of each block, before it does.
template <class Block>
RONDO_KERNEL_INLINE bool may_begin(const Block& block, const ScheduleCall& call) {
  const auto has_begun = [](std::uint32_t begun) { return begun != 0; };
  return wait_for_flag(block, call, &call.state->begun, kNoRank, has_begun) &&
         !is_given_up(block, call, false);
}

template <class Block>
RONDO_KERNEL_INLINE Letter* letter_of(const ScheduleCall& call, const SchedulePort& port) {
  return call.mail + letter_index(call.peers[port.peer].rank, port.lane, port.message, call.stride);
}

/// By one thread, when all blocks are through with what the step and those before it move.
template <class Block>
RONDO_KERNEL_INLINE void send_letters(const Block& block, const ScheduleCall& call,
                                      const ScheduleStep& step, std::uint32_t stored) {
  const auto for_each_letter = [&](auto&& visit) {
    for (std::uint32_t i = 0; i < step.targets; ++i) {
      const SchedulePort& port = call.ports[step.first_target + i];
      const SchedulePeer& peer = call.peers[port.peer];
      // More than the peer expects: the two differ about sizes, and it has no room for them.
      if (port.is_message == 0) continue;
      if (port.message >= peer.stride)
        differs_from(block, call, peer.rank);
      else
        visit(peer, peer.mail[letter_index(call.rank, port.lane, port.message, peer.stride)]);
    }
  };
  std::uint32_t message = 0;
  for_each_letter([&](const SchedulePeer&, Letter& letter) {
    letter.offset = step.payload_offset;
    letter.bytes = step.bytes;
    letter.role = step.payload_role;
    letter.stored = (stored >> message++) & 1U;
  });
  block.release();
  for_each_letter([&](const SchedulePeer& peer, Letter& letter) {
    block.put(&letter.flag, goodbyes_sent(call)[peer.rank] + 1);
  });
}

/// By one thread of a rank's last block: nothing of the call is left open behind it, and the host
/// is told so: looking at a word costs it nothing, where a question to the driver holds up whoever
/// launches. Goodbyes are counted for each pair of ranks, since a peer may be a call ahead, and
/// other peers' another.
template <class Block>
RONDO_KERNEL_INLINE void say_goodbye(const Block& block, const ScheduleCall& call) {
  std::uint32_t* const sent = goodbyes_sent(call);
  std::uint32_t* const seen = goodbyes_seen(call);
  block.release();
  for (std::uint32_t i = 0; i < call.peer_count; ++i)
    block.put(&call.peers[i].goodbyes[call.rank], ++sent[call.peers[i].rank]);
  for (std::uint32_t i = 0; i < call.peer_count; ++i) {
    const std::uint32_t peer = call.peers[i].rank;
    const std::uint32_t number = seen[peer] + 1;
    const auto has_come = [number](std::uint32_t count) { return count - number < (1U << 31); };
    if (!wait_for_flag(block, call, &call.goodbyes[peer], peer, has_come)) return;
    seen[peer] = number;
  }
  *call.state = {};
  block.store(&call.words->ended, call.number);
}

}  // namespace rondo::kernels::cuda
