#include "collectives/execute/host/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "collectives/execute/host/wire_points.h"

namespace rondo::execute {
namespace {

using schedule::BufferRole;
using schedule::PortKind;

constexpr std::size_t kScratchAlignment = 64;  // a cache line: slots of two peers never share one

std::size_t aligned(std::size_t bytes) {
  return (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
}

std::size_t row_bytes(const PlanInputs& inputs, std::uint32_t row) {
  return inputs.table.count(row) * inputs.element_bytes;
}

/// Offsets of scratch slots that hold `rows`, one behind the other; the last entry is the total.
std::vector<std::size_t> slot_offsets(const PlanInputs& inputs,
                                      std::span<const std::uint32_t> rows) {
  std::vector<std::size_t> offsets{0};
  offsets.reserve(rows.size() + 1);
  for (const std::uint32_t row : rows) {
    offsets.push_back(offsets.back() + aligned(row_bytes(inputs, row)));
  }
  return offsets;
}

std::size_t offset_in(const PlanInputs& inputs, schedule::RowRange rows, std::uint32_t row) {
  return inputs.table.offset_within(rows, row) * inputs.element_bytes;
}

std::size_t bytes_of(const PlanInputs& inputs, schedule::RowRange rows) {
  return inputs.table.count(rows) * inputs.element_bytes;
}

/// A sweep that sends what lies in no memory of its own needs a place for it. (A plain send lies in
/// its source.)
bool needs_staging(const schedule::FusedSchedule& fused, const schedule::Sweep& sweep) {
  if (sweep.is_wait) return false;
  const bool plain_send =
      sweep.source_count == 1 && fused.ports[sweep.first_source].kind == PortKind::kMemory;
  if (plain_send) return false;
  const auto first = fused.ports.begin() + sweep.first_target;
  return std::none_of(first, first + sweep.target_count,
                      [](const schedule::Port& port) { return port.kind == PortKind::kMemory; });
}

}  // namespace

/// What is looked up for one port after the other: a plan may have a port for each peer, or many
/// for one.
struct Plan::Binding {
  const PlanInputs& inputs;
  /// Number of the channel to or from each peer that was found last: lanes are bound one by one.
  std::vector<std::uint16_t> sender_to{};
  std::vector<std::uint16_t> receiver_from{};
  /// Offsets of peers' scratch slots.
  std::map<int, std::vector<std::size_t>> peer_slots{};
};

Result<std::unique_ptr<Plan>> Plan::make(PlanInputs inputs) {
  const std::size_t lanes = inputs.schedule.lanes.size();
  if (lanes > transport::kFirstFreeLane) {
    return Status(ErrorCode::kInternal, fmt::format("a schedule of {} lanes: endpoints have {} for "
                                                    "calls",
                                                    lanes, transport::kFirstFreeLane));
  }
  std::unique_ptr<Plan> plan(new Plan());
  plan->segment_bytes_ = inputs.segment_bytes;
  plan->element_bytes_ = inputs.element_bytes;
  plan->kernel_ = inputs.kernel;
  plan->divisor_ = inputs.divisor;
  plan->wire_ = kernels::wire_codec(inputs.wire_format);
  plan->input_bytes_ = bytes_of(inputs, schedule::input_rows(inputs.schedule.request));
  plan->output_bytes_ = bytes_of(inputs, schedule::output_rows(inputs.schedule.request));
  RONDO_TRY(plan->allocate_scratch(inputs));
  RONDO_TRY(plan->bind(inputs));
  RONDO_ASSIGN(plan->wire_rooms_, WireRooms::make(*plan));
  plan->schedule_ = std::move(inputs.schedule);
  return plan;
}

Status Plan::allocate_scratch(const PlanInputs& inputs) {
  slot_offsets_ = slot_offsets(inputs, inputs.schedule.scratch_rows);
  scratch_bytes_ = slot_offsets_.back();
  for (const auto& lane : inputs.schedule.lanes) {
    std::size_t staging_bytes = 0;
    for (const auto& sweep : lane) {
      if (!needs_staging(inputs.schedule, sweep)) continue;
      staging_bytes += aligned(row_bytes(inputs, sweep.row));
    }
    staging_offsets_.push_back(scratch_bytes_);
    scratch_bytes_ += staging_bytes;
  }
  if (scratch_bytes_ == 0) return {};
  RONDO_ASSIGN(scratch_, inputs.allocate_scratch(scratch_bytes_));
  return {};
}

Status Plan::bind(const PlanInputs& inputs) {
  // Spans into ports_ are taken while it is filled: it must not move.
  ports_.reserve(inputs.schedule.ports.size() * 2 + inputs.schedule.lanes.size());
  lanes_.resize(inputs.schedule.lanes.size());
  Binding binding{.inputs = inputs};
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    RONDO_TRY(bind_lane(binding, static_cast<std::uint16_t>(lane)));
  }
  for (const auto* channels : {&senders_, &receivers_}) {
    for (const Channel& channel : *channels) {
      if (std::find(endpoints_.begin(), endpoints_.end(), channel.endpoint) == endpoints_.end()) {
        endpoints_.push_back(channel.endpoint);
      }
    }
  }
  return {};
}

Status Plan::bind_lane(Binding& binding, std::uint16_t lane) {
  const PlanInputs& inputs = binding.inputs;
  const schedule::FusedSchedule& fused = inputs.schedule;
  std::size_t staging = staging_offsets_[lane];
  lanes_[lane].reserve(fused.lanes[lane].size());
  for (const schedule::Sweep& sweep : fused.lanes[lane]) {
    BoundSweep bound;
    bound.final = sweep.final;
    bound.is_wait = sweep.is_wait;
    bound.wait_lane = sweep.wait_lane;
    bound.wait_sweep = sweep.wait_sweep;
    if (!sweep.is_wait) {
      bound.bytes = row_bytes(inputs, sweep.row);
      bound.segments = segments_of(inputs, bound.bytes);
      const std::size_t first_source = ports_.size();
      for (std::uint32_t i = 0; i < sweep.source_count; ++i) {
        const auto& port = fused.ports[sweep.first_source + i];
        RONDO_ASSIGN(BoundPort bound_port, bind_port(binding, port, lane, false));
        ports_.push_back(bound_port);
      }
      const std::size_t first_target = ports_.size();
      for (std::uint32_t i = 0; i < sweep.target_count; ++i) {
        const auto& port = fused.ports[sweep.first_target + i];
        RONDO_ASSIGN(BoundPort bound_port, bind_port(binding, port, lane, true));
        ports_.push_back(bound_port);
      }
      if (needs_staging(fused, sweep)) {
        ports_.push_back({.slice = {BufferRole::kScratch, staging}});
        staging += aligned(bound.bytes);
      }
      bound.sources = {&ports_[first_source], first_target - first_source};
      bound.targets = {ports_.data() + first_target, ports_.size() - first_target};
      bind_rounding(inputs, sweep, bound);
    }
    lanes_[lane].push_back(bound);
  }
  return {};
}

void Plan::bind_rounding(const PlanInputs& inputs, const schedule::Sweep& sweep,
                         BoundSweep& bound) {
  if (inputs.wire_format == kernels::WireFormat::kNone) return;
  const schedule::FusedSchedule& fused = inputs.schedule;
  bound.rounds = rounds_result(fused, sweep);
  const auto is_encoded = [this](const BoundPort& port) {
    return port.is_channel && senders_[port.channel].encoded;
  };
  bound.rounds_as_sent =
      rounds_as_sent(fused, sweep) && std::ranges::any_of(bound.targets, is_encoded);
  const bool encodes_input = sends_input(fused, sweep) && bound.targets.size() == 1 &&
                             senders_[bound.targets[0].channel].encoded;
  if (inputs.feedback == Feedback::kNone || !(bound.rounds || encodes_input)) return;
  const auto receives = [](const BoundPort& port) { return port.is_channel; };
  if (inputs.feedback == Feedback::kContributions && std::ranges::any_of(bound.sources, receives)) {
    return;
  }
  bound.residual = residual_count_;
  residual_count_ += bound.bytes / sizeof(float);
}

Result<BoundPort> Plan::bind_port(Binding& binding, const schedule::Port& port, std::uint16_t lane,
                                  bool is_target) {
  const PlanInputs& inputs = binding.inputs;
  BoundPort bound;
  if (port.kind == PortKind::kChannel) {
    bound.is_channel = true;
    RONDO_ASSIGN(bound.channel, channel_of(binding, port.peer, lane, is_target));
    bound.direct = is_target && port.direct && !inputs.sizes_of_own_rows_only &&
                   inputs.wire_format == kernels::WireFormat::kNone;
    if (bound.direct)
      bound.slice = {port.slice.buffer, peer_offset(binding, port.peer, port.slice)};
    return bound;
  }
  const schedule::Slice slice = port.slice;
  bound.slice.role = slice.buffer;
  switch (slice.buffer) {
    case BufferRole::kInput:
      bound.slice.offset =
          offset_in(inputs, schedule::input_rows(inputs.schedule.request), slice.chunk);
      break;
    case BufferRole::kOutput:
      bound.slice.offset =
          offset_in(inputs, schedule::output_rows(inputs.schedule.request), slice.chunk);
      break;
    case BufferRole::kScratch: bound.slice.offset = slot_offsets_[slice.chunk]; break;
  }
  return bound;
}

Result<std::uint16_t> Plan::channel_of(Binding& binding, int peer, std::uint16_t lane,
                                       bool is_target) {
  const PlanInputs& inputs = binding.inputs;
  std::vector<Channel>& channels = is_target ? senders_ : receivers_;
  std::vector<std::uint16_t>& found = is_target ? binding.sender_to : binding.receiver_from;
  const auto index = static_cast<std::size_t>(peer);
  if (found.size() <= index) found.resize(index + 1);
  const std::uint16_t last = found[index];
  if (last < channels.size() && channels[last].endpoint->peer() == peer &&
      channels[last].lane == lane) {
    ++channels[last].sweeps;
    return last;
  }
  transport::Endpoint* endpoint = inputs.endpoint_of(peer);
  if (endpoint == nullptr) {
    return Status(ErrorCode::kInternal, fmt::format("no endpoint to rank {}", peer), peer);
  }
  const bool encoded = inputs.wire_format != kernels::WireFormat::kNone && inputs.encodes(peer);
  found[index] = static_cast<std::uint16_t>(channels.size());
  channels.push_back({endpoint, lane, 1, encoded});
  return found[index];
}

std::uint32_t Plan::segments_of(const PlanInputs& inputs, std::size_t bytes) const {
  const std::size_t whole = bytes / segment_bytes_;
  const bool has_short_one = bytes % segment_bytes_ != 0 || whole == 0;
  return static_cast<std::uint32_t>(whole +
                                    (has_short_one || inputs.sizes_of_own_rows_only ? 1 : 0));
}

std::size_t Plan::peer_offset(Binding& binding, int peer, schedule::Slice slice) {
  const PlanInputs& inputs = binding.inputs;
  if (slice.buffer == BufferRole::kScratch) {
    const auto [slots, is_new] = binding.peer_slots.try_emplace(peer);
    if (is_new) slots->second = slot_offsets(inputs, inputs.scratch_rows_of(peer));
    return slots->second[slice.chunk];
  }
  schedule::Request request = inputs.schedule.request;
  request.rank = peer;
  return offset_in(inputs, schedule::output_rows(request), slice.chunk);
}

}  // namespace rondo::execute
