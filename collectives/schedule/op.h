#pragma once

// The schedule's vocabulary: what one rank does, op by op, without bytes, pointers or types.
//
// A row is one chunk of the collective's data, numbered the same on every rank. The input and the
// output of a rank each cover a range of rows (all_gather: the input of rank r is row r alone, the
// output is all rows), so one table of row sizes, bound when a plan is made, fixes every address.
// In place means that input and output of a rank are the same memory, row by row.
//
// Meaning. A send is pending until its receiver has consumed it; writing to a pending source is an
// error; a run ends when nothing is pending. Ops of one lane run in order; each (sender, receiver,
// lane) is a FIFO; order across lanes comes from kWait alone.

#include <cstdint>

#include "rondo/collective.h"

namespace rondo::schedule {

using Rank = std::int32_t;

enum class BufferRole : std::uint8_t { kInput, kOutput, kScratch };

/// One chunk of one of the rank's buffers. For kInput and kOutput `chunk` is the row; for kScratch
/// it is the slot, and RankSchedule::scratch_rows tells which row's size the slot has.
struct Slice {
  BufferRole buffer = BufferRole::kInput;
  std::uint32_t chunk = 0;
  friend constexpr bool operator==(const Slice&, const Slice&) = default;
};

enum class OpKind : std::uint8_t {
  kSend,        ///< source -> peer
  kRecv,        ///< peer -> target
  kRecvReduce,  ///< target = source (+) received
  kCopy,        ///< target = source
  kReduce,      ///< target = source (+) other
  kWait,        ///< not before op `wait.op` of lane `wait.lane` is done (its sends consumed)
};

/// What a kWait waits for.
struct WaitFor {
  std::uint32_t lane;
  std::uint32_t op;
};

/// One step of one rank; 32 bytes, copied freely.
struct Op {
  OpKind kind = OpKind::kCopy;
  /// The result holds every rank's contribution: the place where an average divides. Checked by
  /// the verifier.
  bool final = false;
  std::uint16_t lane = 0;
  Rank peer = -1;
  Slice source;
  union {
    Slice other{};  ///< kReduce
    WaitFor wait;   ///< kWait
  };
  Slice target;
};
static_assert(sizeof(Op) == 32);

using rondo::Collective;
using rondo::has_root;
using rondo::reduces;
using rondo::to_string;

const char* to_string(OpKind kind);

}  // namespace rondo::schedule
