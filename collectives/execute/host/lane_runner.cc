#include "collectives/execute/host/lane_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "collectives/execute/host/reduce_by_plan.h"
#include "core/copy_bytes.h"

namespace rondo::execute {
LaneRunner::LaneRunner(const Plan& plan, std::size_t lane)
    : plan_(plan),
      sweeps_(plan.lanes()[lane]),
      lane_(static_cast<std::uint16_t>(lane)),
      decoded_(plan.wire_rooms().of_lane(lane)) {
  std::size_t sources = 0;
  std::size_t targets = 0;
  std::size_t window = 0;
  for (const BoundSweep& sweep : sweeps_) {
    sources = std::max(sources, sweep.sources.size());
    targets = std::max(targets, sweep.targets.size());
  }
  for (const Channel& channel : plan.receivers()) {
    window = std::max(window, channel.endpoint->window());
  }
  incoming_.resize(sources);
  for (Incoming& incoming : incoming_) incoming.tokens.resize(window);
  stores_.resize(targets);
  backs_.resize(targets);
  jobs_.resize(targets);
  source_list_.resize(sources);
  target_list_.resize(targets);
}

void LaneRunner::reset(const Bases& bases, const Operands& operands, float* residuals) {
  bases_ = bases;
  custom_ = operands.custom;
  timer_ = operands.timer;
  residuals_ = residuals;
  sweep_ = 0;
  begun_ = false;
}

Result<bool> LaneRunner::step(std::span<LaneRunner> lanes, std::span<SendQueue> senders) {
  bool moved = false;
  while (!done()) {
    if (current().is_wait) {
      if (!wait_is_over(lanes, senders)) return moved;
    } else {
      if (!begun_) {
        begin_sweep(senders);
        for (SendQueue& sender : senders) RONDO_TRY(sender.pump_ahead());
      }
      RONDO_ASSIGN(const bool segments_moved, move_segments(senders));
      moved |= segments_moved;
      if (segment_ < current().segments) return moved;
    }
    ++sweep_;
    begun_ = false;
    moved = true;
  }
  return moved;
}

bool LaneRunner::wait_is_over(std::span<LaneRunner> lanes, std::span<SendQueue> senders) const {
  const BoundSweep& sweep = current();
  if (lanes[sweep.wait_lane].sweep() <= sweep.wait_sweep) return false;
  for (std::size_t i = 0; i < senders.size(); ++i) {
    if (plan_.senders()[i].lane != sweep.wait_lane) continue;
    if (!senders[i].consumed_through(sweep.wait_sweep)) return false;
  }
  return true;
}

void LaneRunner::begin_sweep(std::span<SendQueue> senders) {
  begun_ = true;
  segment_ = 0;
  const BoundSweep& sweep = current();
  for (std::size_t i = 0; i < sweep.sources.size(); ++i) {
    incoming_[i].posted = incoming_[i].done = 0;
  }
  for (std::size_t i = 0; i < sweep.targets.size(); ++i) {
    const BoundPort& port = sweep.targets[i];
    stores_[i] = port.is_channel ? nullptr : memory(port.slice, 0);
    backs_[i] = kNoSource;
    if (!port.is_channel) continue;
    SendQueue& queue = senders[port.channel];
    jobs_[i] = queue.size();
    const bool is_ready = sends_before_copy(target_peer(i));
    queue.add({.data = is_ready ? memory(sweep.sources[0].slice, 0) : first_memory(),
               .bytes = sweep.bytes,
               .segments = sweep.segments,
               .ready = is_ready ? sweep.segments : 0,
               .sweep = sweep_,
               .residual = sweep.rounds && !sweep.rounds_as_sent ? nullptr : residual(sweep, 0),
               .rounds = sweep.rounds_as_sent});
  }
}

/// Where a sent segment's bytes lie in this rank's memory: the sweep's memory target, or for a
/// plain send its source.
const std::byte* LaneRunner::first_memory() const {
  for (const BoundPort& port : current().targets) {
    if (!port.is_channel) return memory(port.slice, 0);
  }
  return memory(current().sources.front().slice, 0);
}

/// Unless the peer can read the output where it lies, and the input not.
bool LaneRunner::sends_before_copy(const transport::Endpoint& peer) const {
  const BoundSweep& sweep = current();
  if (!sweep.sends_before_copy) return false;
  return peer.lends(memory(sweep.sources[0].slice, 0), sweep.bytes) ||
         !peer.lends(first_memory(), sweep.bytes);
}

Result<bool> LaneRunner::move_segments(std::span<SendQueue> senders) {
  RONDO_ASSIGN(bool moved, post_receives());
  RONDO_ASSIGN(const bool arrived, poll_receives());
  const std::uint32_t ready = segments_arrived();
  if (segment_ == 0 && ready > 0) find_targets();
  while (segment_ < ready) {
    const std::uint32_t count = contiguous(segment_, ready);
    RONDO_TRY(finish_segments(segment_, count, senders));
    segment_ += count;
  }
  return moved || arrived;
}

std::string LaneRunner::size_text() const {
  const BoundSweep& sweep = current();
  if (sweep.segments <= 1) return {};
  return fmt::format(" ({} bytes, in messages of {})", sweep.bytes, plan_.segment_bytes());
}

Status LaneRunner::finish_segments(std::uint32_t first, std::uint32_t count,
                                   std::span<SendQueue> senders) {
  const BoundSweep& sweep = current();
  // All that it needs is there.
  if (timer_ != nullptr) timer_->moved();
  if (decodes_into_place()) decode_segment(first);
  const std::size_t begin = first * plan_.segment_bytes();
  const std::size_t bytes = std::min(count * plan_.segment_bytes(), sweep.bytes - begin);
  if (sweep.sources.size() == 1) {
    copy_segments(first, bytes);
  } else {
    // A peer shouldn't wait, for as long as this takes, for what is ready to be sent.
    for (SendQueue& sender : senders) RONDO_TRY(sender.pump().status());
    RONDO_TRY(reduce_segments(first, count, bytes));
  }
  if (sweep.rounds && !sweep.rounds_as_sent) round_segment(first);
  for (std::size_t i = 0; i < sweep.targets.size(); ++i) {
    if (!sweep.targets[i].is_channel) continue;
    SendJob& job = senders[sweep.targets[i].channel].job(jobs_[i]);
    job.ready = std::max(job.ready, first + count);
    if (stores_[i] != nullptr || backs_[i] != kNoSource) job.stored = job.ready;
  }
  return {};
}

void LaneRunner::copy_segments(std::uint32_t first, std::size_t bytes) {
  const BoundSweep& sweep = current();
  const std::byte* source = sweep.sources.front().is_channel
                                ? first_memory() + first * plan_.segment_bytes()
                                : memory(sweep.sources.front().slice, first);
  for (const BoundPort& port : sweep.targets) {
    if (port.is_channel) continue;
    std::byte* target = memory(port.slice, first);
    if (target != source && bytes != 0) copy_bytes(target, source, bytes);
  }
}

Status LaneRunner::reduce_segments(std::uint32_t first, std::uint32_t count, std::size_t bytes) {
  const BoundSweep& sweep = current();
  for (std::size_t i = 0; i < sweep.sources.size(); ++i) {
    const BoundPort& port = sweep.sources[i];
    source_list_[i] = port.is_channel ? received(i, first) : memory(port.slice, first);
  }
  std::size_t target_count = 0;
  for (std::size_t i = 0; i < sweep.targets.size(); ++i) {
    if (stores_[i] != nullptr) {
      target_list_[target_count++] = stores_[i] + first * plan_.segment_bytes();
    } else if (std::byte* const back = write_back(i, first)) {
      target_list_[target_count++] = back;
    }
  }
  // Where it fails, what is half replaced isn't given back.
  RONDO_TRY(combine_pieces(bytes, target_count));
  for (std::uint32_t i = 0; i < count; ++i) release_segment(first + i);
  return {};
}

/// Of the lists, which it moves on.
Status LaneRunner::combine_pieces(std::size_t bytes, std::size_t target_count) {
  const BoundSweep& sweep = current();
  const auto sources = std::span(source_list_).first(sweep.sources.size());
  const auto targets = std::span(target_list_).first(target_count);
  std::size_t left = bytes;
  do {
    const std::size_t piece =
        stores_into_peers() ? std::min(left, transport::kMostStoredBytes) : left;
    Status combined = begin_stores();
    if (combined.ok()) {
      combined = reduce_by_plan(plan_, custom_, timer_,
                                {.sources = sources,
                                 .targets = targets,
                                 .count = piece / plan_.element_bytes(),
                                 .divisor = sweep.final ? plan_.divisor() : 1});
    }
    end_stores();
    RONDO_TRY(std::move(combined));
    left -= piece;
    for (const void*& source : sources) source = static_cast<const std::byte*>(source) + piece;
    for (void*& target : targets) target = static_cast<std::byte*>(target) + piece;
  } while (left != 0);
  return {};
}

int LaneRunner::waits_for() const {
  if (done() || current().is_wait || !begun_) return kNoCulprit;
  const BoundSweep& sweep = current();
  for (std::size_t i = 0; i < sweep.sources.size(); ++i) {
    if (sweep.sources[i].is_channel && incoming_[i].done <= segment_) {
      return plan_.receivers()[sweep.sources[i].channel].endpoint->peer();
    }
  }
  return kNoCulprit;
}

std::byte* LaneRunner::memory(const BoundSlice& slice, std::uint32_t segment) const {
  return bases_[static_cast<std::size_t>(slice.role)] + slice.offset +
         segment * plan_.segment_bytes();
}

std::size_t LaneRunner::segment_bytes(std::uint32_t segment) const {
  return std::min(plan_.segment_bytes(), current().bytes - segment * plan_.segment_bytes());
}

}  // namespace rondo::execute
