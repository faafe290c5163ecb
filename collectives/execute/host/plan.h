#pragma once

// A plan: one rank's fused schedule bound to sizes, endpoints and scratch, so that a run only adds
// the caller's base addresses. Made once per (collective, count, type, op, root), then cached. What
// is bound but sizes is of use for other counts, too: of two parts it is the longer one to make.
//
// A plan knows every address as (role, offset), every peer as a channel index, and how many sends
// each channel will carry, so that the run that executes it allocates nothing.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
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
  /// Copies a row of the input to that row of the output, and sends it: out of the input, which
  /// nobody writes to, it can go before it is copied. Only where no other sweep of the rank has
  /// that row as a target: what is received there, or stored by a peer, comes behind this message,
  /// and the schedule was proved with the copy before it.
  bool sends_before_copy = false;
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
  /// The scratch slots (their rows) of another rank's schedule, for stores into its scratch. This
  /// and the next are called as long as the plan may get other sizes, the others by `make` alone.
  std::function<std::vector<std::uint32_t>(int peer)> scratch_rows_of;
  ScratchAllocator allocate_scratch;
};

/// Of a row that is only moved: up to here copying there and back at once beats lending (two ranks,
/// EPYC: parts of 1.4 and 2.7 KiB 0.42 and 0.54 us, of 4 KiB 0.74 and 0.54, of 22 and 44 KiB 6.1
/// and 1.8).
inline constexpr std::size_t kMostCopiedRow = 3072;

class Plan {
 public:
  /// Errors: System (no memory for scratch or what is encoded), Internal (a peer without endpoint),
  /// InvalidArgument (the program's allocator gave what is of no use).
  static Result<std::unique_ptr<Plan>> make(PlanInputs inputs);
  /// Rows of other sizes, as many as before: what is bound of the schedule and the peers stays.
  /// Between runs; its runner has to be told (Runner::resize), and has no residuals: those would be
  /// of other elements. `table` gets the old one, whose memory is of use for the next. Errors:
  /// those of scratch; then the plan is of no use.
  Status resize(schedule::ChunkTable& table);

  const schedule::FusedSchedule& schedule() const { return inputs_.schedule; }
  /// Ranks help their peers with copies, where nothing is combined.
  bool is_helped() const { return !schedule::reduces(schedule().request.collective); }
  std::span<const std::vector<BoundSweep>> lanes() const { return lanes_; }
  std::span<const Channel> senders() const { return senders_; }
  std::span<const Channel> receivers() const { return receivers_; }
  std::span<transport::Endpoint* const> endpoints() const { return endpoints_; }
  std::span<std::byte> scratch() const { return {scratch_.get(), scratch_bytes_}; }
  /// Bytes that are kept for scratch.
  std::size_t scratch_room() const { return scratch_room_; }
  std::size_t staging_offset(std::size_t lane) const { return staging_offsets_[lane]; }
  std::size_t input_bytes() const { return input_bytes_; }
  std::size_t output_bytes() const { return output_bytes_; }
  std::size_t segment_bytes() const { return inputs_.segment_bytes; }
  std::size_t element_bytes() const { return inputs_.element_bytes; }
  kernels::ReduceKernel kernel() const { return inputs_.kernel; }
  int divisor() const { return inputs_.divisor; }
  const kernels::WireCodec& wire() const { return wire_; }
  /// Bytes that travel for so many bytes of f32.
  std::size_t wire_bytes(std::size_t bytes) const {
    return kernels::wire_bytes(wire_.format, bytes / sizeof(float));
  }
  const WireRooms& wire_rooms() const { return wire_rooms_; }
  /// Floats that a run's residuals have.
  std::size_t residual_count() const { return residual_count_; }

 private:
  explicit Plan(PlanInputs inputs);
  // What doesn't depend on rows' sizes (plan.cc).
  struct Channels;
  Status bind();
  Status bind_lane(Channels& channels, std::uint16_t lane);
  Status bind_ports(Channels& channels, const schedule::Sweep& sweep, std::uint16_t lane,
                    BoundSweep& bound);
  Result<BoundPort> bind_port(Channels& channels, const schedule::Port& port, std::uint16_t lane,
                              bool is_target);
  Result<std::uint16_t> channel_of(Channels& channels, int peer, std::uint16_t lane,
                                   bool is_target);
  void bind_rounding(const schedule::Sweep& sweep, BoundSweep& bound) const;
  void find_what_is_sent_before_copy();

  // What does (plan_sizes.cc).
  using Slots = std::vector<std::size_t>;
  using PeerSlots = std::map<int, Slots>;
  Status set_sizes();
  Status set_scratch();
  void set_sizes_of_lane(std::size_t lane, BoundPort*& port, PeerSlots& peer_slots);
  std::size_t offset_of(const BoundPort& bound, const schedule::Port& port,
                        PeerSlots& peer_slots) const;
  std::size_t peer_offset(int peer, schedule::Slice slice, PeerSlots& peer_slots) const;
  std::size_t bytes_of(schedule::RowRange rows) const;
  std::size_t offset_in(schedule::RowRange rows, std::uint32_t row) const;
  std::size_t row_bytes(std::uint32_t row) const;
  void set_slots(Slots& slots, std::span<const std::uint32_t> rows) const;
  std::uint32_t segments_of(std::size_t bytes) const;

  PlanInputs inputs_;
  std::vector<BoundPort> ports_;  ///< of all sweeps, one behind the other
  std::vector<std::vector<BoundSweep>> lanes_;
  std::vector<Channel> senders_;
  std::vector<Channel> receivers_;
  std::vector<transport::Endpoint*> endpoints_;
  Slots slot_offsets_;
  Slots staging_offsets_;
  std::shared_ptr<std::byte[]> scratch_;
  std::size_t scratch_bytes_ = 0;
  std::size_t scratch_room_ = 0;
  schedule::RowRange input_rows_;
  schedule::RowRange output_rows_;
  std::size_t input_bytes_ = 0;
  std::size_t output_bytes_ = 0;
  kernels::WireCodec wire_;
  WireRooms wire_rooms_;
  std::size_t residual_count_ = 0;
};

}  // namespace rondo::execute
