#include "collectives/execute/host/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "collectives/execute/host/wire_points.h"

namespace rondo::execute {
namespace {

using schedule::PortKind;

/// A sweep that sends what lies in no memory of its own needs a place for it. (A plain send lies in
/// its source.)
bool needs_staging(const schedule::FusedSchedule& fused, const schedule::Sweep& sweep) {
  const bool plain_send =
      sweep.source_count == 1 && fused.ports[sweep.first_source].kind == PortKind::kMemory;
  if (plain_send) return false;
  return std::ranges::none_of(targets_of(fused, sweep), [](const schedule::Port& port) {
    return port.kind == PortKind::kMemory;
  });
}

/// In place the two rows are one.
bool copies_and_sends_input(const schedule::FusedSchedule& fused, const schedule::Sweep& sweep) {
  using schedule::BufferRole;
  const auto sources = sources_of(fused, sweep);
  const auto targets = targets_of(fused, sweep);
  if (sources.size() != 1 || sources[0].is_channel() ||
      sources[0].slice.buffer != BufferRole::kInput)
    return false;
  const schedule::Slice row{BufferRole::kOutput, sources[0].slice.chunk};
  const auto is_its_output = [&](const schedule::Port& port) {
    return port.is_channel() || port.slice == row;
  };
  const auto is_channel = [](const schedule::Port& port) { return port.is_channel(); };
  return std::ranges::any_of(targets, is_channel) && !std::ranges::all_of(targets, is_channel) &&
         std::ranges::all_of(targets, is_its_output);
}

void add_output_rows(const schedule::FusedSchedule& fused, const schedule::Sweep& sweep,
                     std::vector<std::uint32_t>& rows) {
  if (sweep.is_wait) return;
  for (const schedule::Port& port : targets_of(fused, sweep)) {
    if (!port.is_channel() && port.slice.buffer == schedule::BufferRole::kOutput)
      rows.push_back(port.slice.chunk);
  }
}

}  // namespace

/// Number of the channel to or from each peer that was found last: lanes are bound one by one. A
/// plan may have a port for each peer, or many for one.
struct Plan::Channels {
  std::vector<std::uint16_t> sender_to{};
  std::vector<std::uint16_t> receiver_from{};
};

Plan::Plan(PlanInputs inputs)
    : inputs_(std::move(inputs)), wire_(kernels::wire_codec(inputs_.wire_format)) {}

Result<std::unique_ptr<Plan>> Plan::make(PlanInputs inputs) {
  const std::size_t lanes = inputs.schedule.lanes.size();
  if (lanes > transport::kFirstFreeLane) {
    return Status(ErrorCode::kInternal, fmt::format("a schedule of {} lanes: endpoints have {} for "
                                                    "calls",
                                                    lanes, transport::kFirstFreeLane));
  }
  std::unique_ptr<Plan> plan(new Plan(std::move(inputs)));
  RONDO_TRY(plan->bind());
  plan->inputs_.endpoint_of = {};
  plan->inputs_.encodes = {};
  RONDO_TRY(plan->set_sizes());
  RONDO_ASSIGN(plan->wire_rooms_, WireRooms::make(*plan));
  return plan;
}

Status Plan::bind() {
  const schedule::FusedSchedule& fused = schedule();
  // Spans into ports_ are taken while it is filled: it must not move.
  ports_.reserve(fused.ports.size() * 2 + fused.lanes.size());
  lanes_.resize(fused.lanes.size());
  input_rows_ = schedule::input_rows(fused.request);
  output_rows_ = schedule::output_rows(fused.request);
  Channels channels;
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    RONDO_TRY(bind_lane(channels, static_cast<std::uint16_t>(lane)));
  }
  find_what_is_sent_before_copy();
  for (const auto* list : {&senders_, &receivers_}) {
    for (const Channel& channel : *list) {
      if (std::find(endpoints_.begin(), endpoints_.end(), channel.endpoint) == endpoints_.end()) {
        endpoints_.push_back(channel.endpoint);
      }
    }
  }
  return {};
}

void Plan::find_what_is_sent_before_copy() {
  const schedule::FusedSchedule& fused = schedule();
  std::vector<std::uint32_t> written;  // rows of the output, as often as they are targets
  for (const auto& lane : fused.lanes)
    for (const schedule::Sweep& sweep : lane) add_output_rows(fused, sweep, written);
  std::ranges::sort(written);
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    for (std::size_t i = 0; i < lanes_[lane].size(); ++i) {
      const schedule::Sweep& sweep = fused.lanes[lane][i];
      BoundSweep& bound = lanes_[lane][i];
      if (sweep.is_wait || bound.rounds || !copies_and_sends_input(fused, sweep)) continue;
      const std::uint32_t row = sources_of(fused, sweep)[0].slice.chunk;
      bound.sends_before_copy = std::ranges::equal_range(written, row).size() == 1;
    }
  }
}

Status Plan::bind_lane(Channels& channels, std::uint16_t lane) {
  const auto& sweeps = schedule().lanes[lane];
  lanes_[lane].reserve(sweeps.size());
  for (const schedule::Sweep& sweep : sweeps) {
    BoundSweep bound;
    bound.final = sweep.final;
    bound.is_wait = sweep.is_wait;
    bound.wait_lane = sweep.wait_lane;
    bound.wait_sweep = sweep.wait_sweep;
    if (!sweep.is_wait) {
      RONDO_TRY(bind_ports(channels, sweep, lane, bound));
      bind_rounding(sweep, bound);
    }
    lanes_[lane].push_back(bound);
  }
  return {};
}

Status Plan::bind_ports(Channels& channels, const schedule::Sweep& sweep, std::uint16_t lane,
                        BoundSweep& bound) {
  const schedule::FusedSchedule& fused = schedule();
  const std::size_t first_source = ports_.size();
  for (const schedule::Port& port : sources_of(fused, sweep)) {
    RONDO_ASSIGN(BoundPort bound_port, bind_port(channels, port, lane, false));
    ports_.push_back(bound_port);
  }
  const std::size_t first_target = ports_.size();
  for (const schedule::Port& port : targets_of(fused, sweep)) {
    RONDO_ASSIGN(BoundPort bound_port, bind_port(channels, port, lane, true));
    ports_.push_back(bound_port);
  }
  if (needs_staging(fused, sweep)) ports_.push_back({.slice = {schedule::BufferRole::kScratch, 0}});
  bound.sources = {ports_.data() + first_source, first_target - first_source};
  bound.targets = {ports_.data() + first_target, ports_.size() - first_target};
  return {};
}

void Plan::bind_rounding(const schedule::Sweep& sweep, BoundSweep& bound) const {
  if (inputs_.wire_format == kernels::WireFormat::kNone) return;
  const schedule::FusedSchedule& fused = schedule();
  bound.rounds = rounds_result(fused, sweep);
  const auto is_encoded = [this](const BoundPort& port) {
    return port.is_channel && senders_[port.channel].encoded;
  };
  bound.rounds_as_sent =
      rounds_as_sent(fused, sweep) && std::ranges::any_of(bound.targets, is_encoded);
  const bool encodes_input = sends_input(fused, sweep) && bound.targets.size() == 1 &&
                             senders_[bound.targets[0].channel].encoded;
  if (inputs_.feedback == Feedback::kNone || !(bound.rounds || encodes_input)) return;
  const auto receives = [](const BoundPort& port) { return port.is_channel; };
  if (inputs_.feedback == Feedback::kContributions &&
      std::ranges::any_of(bound.sources, receives)) {
    return;
  }
  bound.residual = 0;  // where, its size says
}

Result<BoundPort> Plan::bind_port(Channels& channels, const schedule::Port& port,
                                  std::uint16_t lane, bool is_target) {
  BoundPort bound;
  bound.is_channel = port.is_channel();
  if (bound.is_channel) {
    RONDO_ASSIGN(bound.channel, channel_of(channels, port.peer, lane, is_target));
    bound.direct = is_target && port.direct && !inputs_.sizes_of_own_rows_only &&
                   inputs_.wire_format == kernels::WireFormat::kNone;
  }
  if (!bound.is_channel || bound.direct) bound.slice.role = port.slice.buffer;
  return bound;
}

Result<std::uint16_t> Plan::channel_of(Channels& channels, int peer, std::uint16_t lane,
                                       bool is_target) {
  std::vector<Channel>& list = is_target ? senders_ : receivers_;
  std::vector<std::uint16_t>& found = is_target ? channels.sender_to : channels.receiver_from;
  const auto index = static_cast<std::size_t>(peer);
  if (found.size() <= index) found.resize(index + 1);
  const std::uint16_t last = found[index];
  if (last < list.size() && list[last].endpoint->peer() == peer && list[last].lane == lane) {
    ++list[last].sweeps;
    return last;
  }
  transport::Endpoint* endpoint = inputs_.endpoint_of(peer);
  if (endpoint == nullptr) {
    return Status(ErrorCode::kInternal, fmt::format("no endpoint to rank {}", peer), peer);
  }
  const bool encoded = inputs_.wire_format != kernels::WireFormat::kNone && inputs_.encodes(peer);
  found[index] = static_cast<std::uint16_t>(list.size());
  list.push_back({endpoint, lane, 1, encoded});
  return found[index];
}

}  // namespace rondo::execute
