#include "collectives/execute/host/plan_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/schedule/print.h"
#include "transport/wire/control.h"

namespace rondo::execute {
PlanRunner::PlanRunner(const Plan& plan) : plan_(plan), residuals_(plan.residual_count()) {
  for (std::size_t lane = 0; lane < plan.lanes().size(); ++lane) lanes_.emplace_back(plan, lane);
  for (std::size_t sender = 0; sender < plan.senders().size(); ++sender) {
    senders_.emplace_back(plan, sender);
  }
}

void PlanRunner::begin(const transport::Call& call, const Operands& operands) {
  const Bases bases{operands.input, operands.output, plan_.scratch().data()};
  for (transport::Endpoint* endpoint : plan_.endpoints()) {
    endpoint->begin(call, {std::span(operands.output, plan_.output_bytes()), plan_.scratch()});
  }
  const void* const given = operands.given_input == nullptr ? operands.input : operands.given_input;
  float* const residuals = residuals_.of(given, operands.output);
  for (LaneRunner& lane : lanes_) lane.reset(bases, operands, residuals);
  for (SendQueue& sender : senders_) sender.reset();
  timer_ = operands.timer;
}

Status PlanRunner::end(Status status, int rank) {
  if (status.ok()) status = verdict();
  for (transport::Endpoint* endpoint : plan_.endpoints()) endpoint->end();
  if (status.ok() || transport::is_hearsay(status)) return status;
  return std::move(status).at(where(rank));
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
  if (moved || !plan_.is_helped()) return moved;
  return help();
}

/// One peer with one piece: something for this rank may have come meanwhile.
Result<bool> PlanRunner::help() const {
  for (const Channel& channel : plan_.senders()) {
    RONDO_ASSIGN(const Ticks begun, channel.endpoint->help());
    if (begun == 0) continue;
    if (timer_ != nullptr) timer_->moved_since(begun);
    return true;
  }
  return false;
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

int PlanRunner::waits_for() const {
  for (const LaneRunner& lane : lanes_) {
    if (const int peer = lane.waits_for(); peer != kNoCulprit) return peer;
  }
  for (const SendQueue& sender : senders_) {
    if (!sender.idle()) return sender.peer();
  }
  return kNoCulprit;
}

std::string PlanRunner::where(int rank) const {
  std::string text = fmt::format("rank {}", rank);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i].done()) continue;
    text += ", " + schedule::describe_sweep(plan_.schedule(), i, lanes_[i].sweep());
    text += lanes_[i].size_text();
  }
  return text;
}

}  // namespace rondo::execute
