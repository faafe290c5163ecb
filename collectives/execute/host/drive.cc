#include "collectives/execute/host/drive.h"

#include <fmt/format.h>

#include <string_view>

#include "transport/wire/call_history.h"

namespace rondo::execute {

Status compare_calls(int rank, const transport::Call& call, transport::Endpoint& peer) {
  const auto theirs = peer.peer_call(call.sequence);
  if (!theirs.has_value()) return {};
  return transport::check_call(rank, call, peer.peer(), call.sequence, *theirs);
}

Status Runner::run(const transport::Call& call, const Operands& operands,
                   const RunContext& context) {
  begin(call, operands);
  context.waiter->restart();
  return end(Run(*this, call).drive(context), context.rank);
}

bool Runner::end_at_once(Status& status, int rank) {
  status = step().status();
  if (!status.ok() || !finished()) return false;
  status = end({}, rank);
  return true;
}

Status Run::drive(const RunContext& context) {
  for (bool has_read_all = false;; has_read_all = context.waiter->has_just_looked()) {
    bool moved = false;
    RONDO_ASSIGN(const bool finished, look(moved));
    if (finished) return {};
    if (moved) {
      context.waiter->restart();
      continue;
    }
    if (has_read_all) RONDO_TRY(check_wait(context));
    if (context.bystander != nullptr && context.waiter->is_long()) {
      RONDO_ASSIGN(const bool taken, context.bystander->take_unexpected());
      if (taken) continue;
    }
    const WaitLimit limit{.until = deadline(context), .sleeper = runner_};
    RONDO_TRY(context.waiter->wait(limit, runner_->looks_per_step()));
  }
}

Result<bool> Run::look(bool& moved) {
  RONDO_ASSIGN(moved, runner_->step());
  if (moved) {
    next_comparison_us_ = kFirstComparisonUs;
    still_since_.reset();
  }
  const bool finished = runner_->finished();
  if (timer_ != nullptr) note_time(moved, finished);
  return finished;
}

/// Only where waiting begins or ends is there anything to note; with the call the last wait ends.
void Run::note_time(bool moved, bool finished) {
  if (finished) return;
  if (moved) {
    timer_->moved();
  } else if (!timer_->is_idle()) {
    timer_->idle(runner_->waits_for());
  }
}

void Run::pause() {
  if (timer_ != nullptr && !timer_->is_idle()) timer_->idle(runner_->waits_for());
  for (transport::Endpoint* endpoint : runner_->peers()) endpoint->pause();
}

Status Run::resume() {
  for (transport::Endpoint* endpoint : runner_->peers()) RONDO_TRY(endpoint->resume());
  return {};
}

Status Run::check_wait(const RunContext& context) {
  const bool is_interrupted = context.interruption != nullptr && context.interruption->is_asked();
  if (is_interrupted) return context.interruption->cause();
  const std::int64_t waited_us = this->waited_us(*context.waiter);
  const bool too_long = waited_us >= context.timeout_ms * 1000 && !runner_->waits_for_caller();
  if (waited_us < next_comparison_us_ && !too_long) return {};
  next_comparison_us_ = waited_us + kComparisonPeriodUs;
  RONDO_TRY(compare_with_neighbours(context));
  return too_long ? timed_out(context) : Status();
}

std::chrono::steady_clock::time_point Run::deadline(const RunContext& context) const {
  const auto since = still_since_.value_or(context.waiter->since());
  if (since == WaitLimit::kNever || runner_->waits_for_caller()) return WaitLimit::kNever;
  return since + std::chrono::milliseconds(context.timeout_ms);
}

void Run::others_moved(const Waiter& waiter) {
  if (still_since_.has_value()) return;
  still_since_ = std::chrono::steady_clock::now() - std::chrono::microseconds(waiter.waited_us());
}

std::int64_t Run::waited_us(const Waiter& waiter) const {
  if (!still_since_.has_value()) return waiter.waited_us();
  const auto waited = std::chrono::steady_clock::now() - *still_since_;
  return std::chrono::duration_cast<std::chrono::microseconds>(waited).count();
}

Status Run::compare_with_neighbours(const RunContext& context) const {
  for (transport::Endpoint* neighbour : context.neighbours) {
    RONDO_TRY(neighbour->announce_call());
    RONDO_TRY(compare_calls(context.rank, *call_, *neighbour));
  }
  return {};
}

Status Run::timed_out(const RunContext& context) const {
  const int peer = runner_->waits_for();
  const std::string_view limit =
      context.is_own_timeout ? "the call's own deadline" : "RONDO_TIMEOUT_MS sets the limit";
  if (peer == kNoCulprit) {
    return Status(
        ErrorCode::kTimeout,
        fmt::format("rank {}'s device, or one that it waits for, wasn't done after {} ms in "
                    "call #{} {} ({})",
                    context.rank, context.timeout_ms, call_->sequence,
                    transport::to_string(call_->fingerprint), limit));
  }
  return Status(ErrorCode::kTimeout,
                fmt::format("nothing came from rank {} for {} ms in call #{} {}; is it stopped, or "
                            "did it make fewer calls? ({})",
                            peer, context.timeout_ms, call_->sequence,
                            transport::to_string(call_->fingerprint), limit),
                peer);
}

}  // namespace rondo::execute
