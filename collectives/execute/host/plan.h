#pragma once

// A plan: one rank's fused schedule bound to sizes, endpoints and scratch, so that a run only adds
// the caller's base addresses. Made once per (collective, count, type, op, root), then cached.
//
// A plan knows every address as (role, offset), every peer as a channel index, and how many sends
// each channel will carry, so that the run that executes it allocates nothing.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "collectives/execute/host/wire_rooms.h"
#include "collectives/kernels/reduce.h"
#include "collectives/kernels/wire_format.h"
#include "collectives/schedule/chunk_table.h"
#include "collectives/schedule/fused_schedule.h"
#include "core/status.h"
#include "transport/endpoint/endpoint.h"

namespace rondo::execute {

/// Bytes of a buffer: `offset` into the memory that plays `role`.
struct BoundSlice {
  schedule::BufferRole role = schedule::BufferRole::kInput;
  std::size_t offset = 0;
};

struct BoundPort {
  bool is_channel = false;
  bool direct = false;        ///< target channel: may be stored straight into `slice` of the peer
  std::uint16_t channel = 0;  ///< index into Plan::senders or Plan::receivers
  BoundSlice slice;           ///< own memory, or for `direct` the peer's
};

struct BoundSweep {
  std::span<const BoundPort> sources;
  std::span<const BoundPort> targets;
  std::size_t bytes = 0;
  std::uint32_t segments = 1;  ///< an empty row still is one (empty) message
  bool final = false;
  bool is_wait = false;
  std::uint32_t wait_lane = 0;
  std::uint32_t wait_sweep = 0;
  /// What is stored is rounded to the wire format.
  bool rounds = false;
  /// And that by the encoding of its message (wire_points.h).
  bool rounds_as_sent = false;
  /// Where, of the run's residuals, the losses of the sweep's row are kept; nothing: they aren't.
  std::optional<std::size_t> residual{};
};

/// One direction of one (peer, lane).
struct Channel {
  transport::Endpoint* endpoint = nullptr;
  std::uint16_t lane = 0;
  std::size_t sweeps = 0;  ///< how many of the lane's sweeps use it
  bool encoded = false;    ///< its messages are in the plan's wire format
};

/// Memory that peers of this host can map, handed out for scratch.
using ScratchAllocator = std::function<Result<std::shared_ptr<std::byte[]>>(std::size_t bytes)>;

/// What is kept of the losses of rounding to a wire format, to be made up for in the next run.
enum class Feedback : std::uint8_t {
  kNone,
  kContributions,  ///< of this rank's own input only: sums are computed on several ranks alike
  kAll,
};

struct PlanInputs {
  schedule::FusedSchedule schedule;
  schedule::ChunkTable table = schedule::ChunkTable::equal(0, 1);
  std::size_t element_bytes = 1;
  kernels::ReduceKernel kernel =
      nullptr;  ///< null where nothing is reduced, or by functions of calls
  int divisor = 1;
  /// Rows' sizes are known to the two ranks of a message only, and not proved to be equal there: no
  /// stores into peers' memory, and a row's last segment is shorter than a whole one (empty, if
  /// need be), so that a peer that expects another size always sees a message of another size.
  bool sizes_of_own_rows_only = false;
  std::size_t segment_bytes = 256 * 1024;  ///< a multiple of element_bytes, equal on every rank
  /// kNone, or what f32 rows are sent as to the peers that `encodes` names; the same on all ranks.
  /// Nothing is stored into peers' memory then, and segment_bytes holds whole wire blocks.
  kernels::WireFormat wire_format = kernels::WireFormat::kNone;
  std::function<bool(int peer)> encodes;
  Feedback feedback = Feedback::kNone;
  std::function<transport::Endpoint*(int peer)> endpoint_of;
  /// The scratch slots (their rows) of another rank's schedule, for stores into its scratch.
  std::function<std::vector<std::uint32_t>(int peer)> scratch_rows_of;
  ScratchAllocator allocate_scratch;
};

class Plan {
 public:
  /// Errors: System (no memory for scratch or what is encoded), Internal (a peer without endpoint),
  /// InvalidArgument (the program's allocator gave what is of no use).
  static Result<std::unique_ptr<Plan>> make(PlanInputs inputs);

  const schedule::FusedSchedule& schedule() const { return schedule_; }
  /// Ranks help their peers with copies, where nothing is combined.
  bool is_helped() const { return !schedule::reduces(schedule_.request.collective); }
  std::span<const std::vector<BoundSweep>> lanes() const { return lanes_; }
  std::span<const Channel> senders() const { return senders_; }
  std::span<const Channel> receivers() const { return receivers_; }
  std::span<transport::Endpoint* const> endpoints() const { return endpoints_; }
  std::span<std::byte> scratch() const { return {scratch_.get(), scratch_bytes_}; }
  std::size_t staging_offset(std::size_t lane) const { return staging_offsets_[lane]; }
  std::size_t input_bytes() const { return input_bytes_; }
  std::size_t output_bytes() const { return output_bytes_; }
  std::size_t segment_bytes() const { return segment_bytes_; }
  std::size_t element_bytes() const { return element_bytes_; }
  kernels::ReduceKernel kernel() const { return kernel_; }
  int divisor() const { return divisor_; }
  const kernels::WireCodec& wire() const { return wire_; }
  /// Bytes that travel for so many bytes of f32.
  std::size_t wire_bytes(std::size_t bytes) const {
    return kernels::wire_bytes(wire_.format, bytes / sizeof(float));
  }
  const WireRooms& wire_rooms() const { return wire_rooms_; }
  /// Floats that a run's residuals have.
  std::size_t residual_count() const { return residual_count_; }

 private:
  Plan() = default;
  struct Binding;
  Status bind(const PlanInputs& inputs);
  Status bind_lane(Binding& binding, std::uint16_t lane);
  Result<BoundPort> bind_port(Binding& binding, const schedule::Port& port, std::uint16_t lane,
                              bool is_target);
  Result<std::uint16_t> channel_of(Binding& binding, int peer, std::uint16_t lane, bool is_target);
  void bind_rounding(const PlanInputs& inputs, const schedule::Sweep& sweep, BoundSweep& bound);
  std::uint32_t segments_of(const PlanInputs& inputs, std::size_t bytes) const;
  static std::size_t peer_offset(Binding& binding, int peer, schedule::Slice slice);
  Status allocate_scratch(const PlanInputs& inputs);

  schedule::FusedSchedule schedule_;
  std::vector<BoundPort> ports_;
  std::vector<std::vector<BoundSweep>> lanes_;
  std::vector<Channel> senders_;
  std::vector<Channel> receivers_;
  std::vector<transport::Endpoint*> endpoints_;
  std::vector<std::size_t> slot_offsets_;
  std::vector<std::size_t> staging_offsets_;
  std::shared_ptr<std::byte[]> scratch_;
  std::size_t scratch_bytes_ = 0;
  std::size_t input_bytes_ = 0;
  std::size_t output_bytes_ = 0;
  std::size_t segment_bytes_ = 0;
  std::size_t element_bytes_ = 1;
  kernels::ReduceKernel kernel_ = nullptr;
  int divisor_ = 1;
  kernels::WireCodec wire_;
  WireRooms wire_rooms_;
  std::size_t residual_count_ = 0;
};

}  // namespace rondo::execute
