// What of a plan depends on its rows' sizes: bytes, segments, addresses, scratch.

#include <algorithm>
#include <utility>

#include "collectives/execute/host/plan.h"

namespace rondo::execute {
namespace {

using schedule::BufferRole;

constexpr std::size_t kScratchAlignment = 64;  // a cache line: slots of two peers never share one

/// More than that beside twice what is needed isn't kept.
constexpr std::size_t kSpareScratch = 64 * 1024;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
}

/// Behind the targets of its schedule: what is sent has no memory of its own.
bool is_staged(const schedule::Sweep& sweep, const BoundSweep& bound) {
  return bound.targets.size() > sweep.target_count;
}

}  // namespace

Status Plan::resize(schedule::ChunkTable& table) {
  std::swap(inputs_.table, table);
  return set_sizes();
}

Status Plan::set_sizes() {
  input_bytes_ = bytes_of(input_rows_);
  output_bytes_ = bytes_of(output_rows_);
  RONDO_TRY(set_scratch());
  residual_count_ = 0;
  PeerSlots peer_slots;
  BoundPort* port = ports_.data();
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
    set_sizes_of_lane(lane, port, peer_slots);
  return {};
}

Status Plan::set_scratch() {
  set_slots(slot_offsets_, schedule().scratch_rows);
  scratch_bytes_ = slot_offsets_.back();
  staging_offsets_.clear();
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    staging_offsets_.push_back(scratch_bytes_);
    for (std::size_t i = 0; i < lanes_[lane].size(); ++i) {
      const schedule::Sweep& sweep = schedule().lanes[lane][i];
      if (is_staged(sweep, lanes_[lane][i])) scratch_bytes_ += aligned(row_bytes(sweep.row));
    }
  }
  if (scratch_bytes_ <= scratch_room_ && scratch_room_ <= 2 * scratch_bytes_ + kSpareScratch)
    return {};
  scratch_.reset();
  scratch_room_ = 0;
  if (scratch_bytes_ == 0) return {};
  RONDO_ASSIGN(scratch_, inputs_.allocate_scratch(scratch_bytes_));
  scratch_room_ = scratch_bytes_;
  return {};
}

/// `port`: the first of the lane's, then that behind its last.
void Plan::set_sizes_of_lane(std::size_t lane, BoundPort*& port, PeerSlots& peer_slots) {
  std::size_t staging = staging_offsets_[lane];
  for (std::size_t i = 0; i < lanes_[lane].size(); ++i) {
    const schedule::Sweep& sweep = schedule().lanes[lane][i];
    BoundSweep& bound = lanes_[lane][i];
    if (sweep.is_wait) continue;
    bound.bytes = row_bytes(sweep.row);
    bound.segments = segments_of(bound.bytes);
    for (const auto& ports : {sources_of(schedule(), sweep), targets_of(schedule(), sweep)}) {
      for (const schedule::Port& of : ports) {
        port->slice.offset = offset_of(*port, of, peer_slots);
        ++port;
      }
    }
    if (is_staged(sweep, bound)) {
      port->slice.offset = staging;
      staging += aligned(bound.bytes);
      ++port;
    }
    if (!bound.residual) continue;
    bound.residual = residual_count_;
    residual_count_ += bound.bytes / sizeof(float);
  }
}

/// In the memory that `bound` is bound to.
std::size_t Plan::offset_of(const BoundPort& bound, const schedule::Port& port,
                            PeerSlots& peer_slots) const {
  const schedule::Slice slice = port.slice;
  if (bound.is_channel) return bound.direct ? peer_offset(port.peer, slice, peer_slots) : 0;
  switch (slice.buffer) {
    case BufferRole::kInput: return offset_in(input_rows_, slice.chunk);
    case BufferRole::kOutput: return offset_in(output_rows_, slice.chunk);
    case BufferRole::kScratch: break;
  }
  return slot_offsets_[slice.chunk];
}

std::size_t Plan::peer_offset(int peer, schedule::Slice slice, PeerSlots& peer_slots) const {
  if (slice.buffer == BufferRole::kScratch) {
    const auto [slots, is_new] = peer_slots.try_emplace(peer);
    if (is_new) set_slots(slots->second, inputs_.scratch_rows_of(peer));
    return slots->second[slice.chunk];
  }
  schedule::Request request = schedule().request;
  request.rank = peer;
  return offset_in(schedule::output_rows(request), slice.chunk);
}

std::size_t Plan::bytes_of(schedule::RowRange rows) const {
  return inputs_.table.count(rows) * inputs_.element_bytes;
}

std::size_t Plan::offset_in(schedule::RowRange rows, std::uint32_t row) const {
  return inputs_.table.offset_within(rows, row) * inputs_.element_bytes;
}

std::size_t Plan::row_bytes(std::uint32_t row) const {
  return inputs_.table.count(row) * inputs_.element_bytes;
}

/// Offsets of slots that hold `rows`, one behind the other; the last entry is the total.
void Plan::set_slots(Slots& slots, std::span<const std::uint32_t> rows) const {
  slots.assign(1, 0);
  slots.reserve(rows.size() + 1);
  for (const std::uint32_t row : rows) slots.push_back(slots.back() + aligned(row_bytes(row)));
}

std::uint32_t Plan::segments_of(std::size_t bytes) const {
  const std::size_t whole = bytes / segment_bytes();
  const bool has_short_one = bytes % segment_bytes() != 0 || whole == 0;
  return static_cast<std::uint32_t>(whole +
                                    (has_short_one || inputs_.sizes_of_own_rows_only ? 1 : 0));
}

}  // namespace rondo::execute
