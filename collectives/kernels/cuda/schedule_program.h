#pragma once

// A plan as a kernel reads it: what the schedule kernel (schedule_kernel.h) is told of one rank's
// steps, of its call, and of its peers. Offsets instead of addresses wherever they stay the same
// from call to call. Plain structs: they are copied to the device as they are.

#include <cstddef>
#include <cstdint>

namespace rondo::kernels::cuda {

/// So many blocks have room on a multiprocessor at once: kernels are compiled for it, and whoever
/// launches them counts on it.
inline constexpr unsigned int kScheduleBlocks = 3;

/// Memory of a rank by its role: input, output, scratch.
inline constexpr std::size_t kRoles = 3;

/// Where a step reads, or writes.
struct SchedulePort {
  std::uint64_t offset = 0;  ///< in the memory of `role`; of a stored target: in the peer's
  std::uint32_t role = 0;
  std::uint32_t is_message = 0;
  std::uint32_t stores = 0;   ///< a target whose bytes may be put straight to where they belong
  std::uint32_t peer = 0;     ///< of a message: whose, by ScheduleCall::peers
  std::uint32_t lane = 0;     ///< and the lane that it is one of
  std::uint32_t message = 0;  ///< and its number there
};

/// Sources combined in their order, and stored to every target.
struct ScheduleStep {
  std::uint64_t bytes = 0;
  std::uint64_t payload_offset = 0;  ///< where what is sent lies in this rank's memory
  std::uint32_t payload_role = 0;
  std::uint32_t first_source = 0;
  std::uint32_t sources = 0;
  std::uint32_t first_target = 0;
  std::uint32_t targets = 0;
  std::uint32_t is_final = 0;  ///< an average is divided here
};

struct ScheduleLane {
  std::uint32_t first_step = 0;
  std::uint32_t steps = 0;
};

/// What a message is: its bytes lie ready, there, in the sender's memory. Written by the sender
/// into the receiver's memory.
struct Letter {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint32_t role = 0;
  std::uint32_t stored = 0;  ///< they are in the receiver's memory already
  std::uint32_t flag = 0;    ///< the number of the call, among those of the two ranks
  std::uint32_t unused = 0;
};

/// What the blocks of one lane tell each other, of the steps that move bytes.
struct LaneState {
  std::uint32_t arrived = 0;   ///< blocks that are through with one, over all of them
  std::uint32_t finished = 0;  ///< those that all blocks are through with
  std::uint32_t taken = 0;     ///< of the last tiles of one that is under way
};

inline constexpr std::uint32_t kMostScheduleLanes = 6;

/// Of one rank on its device, from call to call. All 0 at first, and behind each call.
struct ScheduleState {
  LaneState lanes[kMostScheduleLanes];
  std::uint32_t begun = 0;     ///< the host had not given up when the kernel's turn came
  std::uint32_t given_up = 0;  ///< the host has, as a block that has seen it tells the others
  std::uint32_t left = 0;      ///< blocks that are through with the call
};

/// Words of the host's memory that both see.
struct ScheduleWords {
  std::uint32_t abort = 0;      ///< the host gives the call up
  std::uint32_t waits_for = 0;  ///< the rank, plus one, that the kernel has been waiting for
  std::uint32_t differs = 0;    ///< the rank, plus one, whose message has another size
  std::uint32_t ended = 0;      ///< the number of the call that the kernel was last through with
};

struct SchedulePeer {
  std::uint64_t bases[kRoles];
  Letter* mail;             ///< where its letters lie: by sender, lane and message
  std::uint32_t* goodbyes;  ///< how many have come, by sender
  std::uint32_t rank;
  std::uint32_t stride;  ///< letters of one sender and lane
};

/// The one parameter of a schedule kernel, passed by value.
struct ScheduleCall {
  static constexpr std::uint32_t kMostPeers = 48;

  const ScheduleLane* lanes;
  const ScheduleStep* steps;
  const SchedulePort* ports;
  std::uint64_t bases[kRoles];
  Letter* mail;
  std::uint32_t* goodbyes;  ///< by peer: how many have come, were sent, and were seen
  ScheduleState* state;
  ScheduleWords* words;
  std::uint32_t stride;
  std::uint32_t rank;
  std::uint32_t world;
  std::uint32_t lane_count;
  std::uint32_t blocks_per_lane;
  std::int32_t divisor;
  std::uint32_t element_bytes;
  std::uint32_t peer_count;
  std::uint32_t number;  ///< of the rank's calls, from 1 on; 0 where the host doesn't ask
  SchedulePeer peers[kMostPeers];
};
static_assert(sizeof(ScheduleCall) <= 4096, "what a kernel may be passed");

/// Where rank `sender`'s letter lies in a mail with so many letters of one sender and lane.
constexpr std::uint64_t letter_index(std::uint32_t sender, std::uint32_t lane,
                                     std::uint32_t message, std::uint32_t stride) {
  return (std::uint64_t{sender} * kMostScheduleLanes + lane) * stride + message;
}

}  // namespace rondo::kernels::cuda
