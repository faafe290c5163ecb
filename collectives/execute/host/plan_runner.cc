#include "collectives/execute/host/plan_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/schedule/print.h"
#include "transport/wire/call_history.h"

namespace rondo::execute {
namespace {

constexpr std::int64_t kFirstComparisonUs = 1000;
constexpr std::int64_t kComparisonPeriodUs = 10'000;

}  // namespace

PlanRunner::PlanRunner(const Plan& plan) : plan_(plan) {
  for (std::size_t lane = 0; lane < plan.lanes().size(); ++lane) lanes_.emplace_back(plan, lane);
  for (const Channel& channel : plan.senders()) {
    senders_.emplace_back(channel, plan.segment_bytes());
  }
}

Status PlanRunner::run(const transport::Call& call, std::byte* input, std::byte* output,
                       const RunContext& context) {
  const Bases bases{input, output, plan_.scratch().data()};
  for (transport::Endpoint* endpoint : plan_.endpoints()) {
    endpoint->begin(call, {std::span(output, plan_.output_bytes()), plan_.scratch()});
  }
  for (LaneRunner& lane : lanes_) lane.reset(bases);
  for (SendQueue& sender : senders_) sender.reset();
  Status status = drive(call, context);
  for (transport::Endpoint* endpoint : plan_.endpoints()) endpoint->end();
  if (status.ok()) return status;
  return std::move(status).at(where(context));
}

Status PlanRunner::drive(const transport::Call& call, const RunContext& context) {
  context.waiter->restart();
  next_comparison_us_ = kFirstComparisonUs;
  while (true) {
    RONDO_ASSIGN(const bool moved, step());
    if (finished()) return verdict();
    if (moved) {
      context.waiter->restart();
      next_comparison_us_ = kFirstComparisonUs;
      continue;
    }
    RONDO_TRY(context.waiter->wait());
    const std::int64_t waited_us = context.waiter->waited_us();
    if (waited_us >= next_comparison_us_) {
      next_comparison_us_ = waited_us + kComparisonPeriodUs;
      RONDO_TRY(compare_with_neighbours(call, context));
      if (waited_us / 1000 >= context.timeout_ms) return timed_out(call, context);
    }
  }
}

Result<bool> PlanRunner::step() {
  bool moved = false;
  for (LaneRunner& lane : lanes_) {
    RONDO_ASSIGN(const bool lane_moved, lane.step(lanes_, senders_));
    moved |= lane_moved;
  }
  for (SendQueue& sender : senders_) {
    RONDO_ASSIGN(const bool sender_moved, sender.pump());
    moved |= sender_moved;
  }
  return moved;
}

Status PlanRunner::verdict() const {
  for (const Channel& channel : plan_.receivers()) RONDO_TRY(channel.endpoint->verdict());
  return {};
}

bool PlanRunner::finished() const {
  return std::all_of(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane.done(); }) &&
         std::all_of(senders_.begin(), senders_.end(),
                     [](const auto& sender) { return sender.idle(); });
}

Status PlanRunner::compare_with_neighbours(const transport::Call& call, const RunContext& context) {
  for (transport::Endpoint* neighbour : context.neighbours) {
    RONDO_TRY(neighbour->announce_call());
    const auto theirs = neighbour->peer_call(call.sequence);
    if (!theirs.has_value()) continue;
    RONDO_TRY(transport::check_call(context.rank, call, neighbour->peer(), call.sequence, *theirs));
  }
  return {};
}

int PlanRunner::waits_for() const {
  for (const LaneRunner& lane : lanes_) {
    if (const int peer = lane.waits_for(); peer != kNoCulprit) return peer;
  }
  for (const SendQueue& sender : senders_) {
    if (!sender.idle()) return sender.peer();
  }
  return kNoCulprit;
}

Status PlanRunner::timed_out(const transport::Call& call, const RunContext& context) const {
  const int peer = waits_for();
  return Status(
      ErrorCode::kTimeout,
      fmt::format("nothing came from rank {} for {} ms in call #{} {}; is it stopped, or "
                  "did it make fewer calls? (RONDO_TIMEOUT_MS sets the limit)",
                  peer, context.timeout_ms, call.sequence, transport::to_string(call.fingerprint)),
      peer);
}

std::string PlanRunner::where(const RunContext& context) const {
  std::string text = fmt::format("rank {}", context.rank);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i].done()) continue;
    text += ", " + schedule::describe_sweep(plan_.schedule(), i, lanes_[i].sweep());
  }
  return text;
}

}  // namespace rondo::execute
