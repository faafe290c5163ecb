#include "collectives/execute/host/move_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "collectives/execute/host/eager_runner.h"
#include "collectives/schedule/print.h"
#include "core/copy_bytes.h"
#include "core/relax.h"
#include "transport/wire/control.h"

namespace rondo::execute {
namespace {

bool is_move(const BoundSweep& sweep) {
  return sweep.sources.size() == 1 && sweep.targets.size() == 1 &&
         !(sweep.sources[0].is_channel && sweep.targets[0].is_channel);
}

}  // namespace

bool MoveRunner::only_moves(const Plan& plan) {
  return plan.lanes().size() == 1 && std::ranges::all_of(plan.lanes()[0], is_move);
}

MoveRunner::MoveRunner(const Plan& plan, bool spare_core)
    : plan_(plan),
      moves_(plan.lanes()[0].size()),
      spare_core_(spare_core),
      most_looks_(most_looks(spare_core, plan.endpoints())) {
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const BoundPort& source = plan.lanes()[0][i].sources[0];
    const BoundPort& target = plan.lanes()[0][i].targets[0];
    if (source.is_channel) moves_[i].from = plan.receivers()[source.channel].endpoint;
    if (target.is_channel) moves_[i].to = plan.senders()[target.channel].endpoint;
  }
  MoveRunner::resize();
}

void MoveRunner::resize() {
  std::size_t first_bytes = 0;
  bool is_first = true;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const BoundSweep& sweep = plan_.lanes()[0][i];
    Move& move = moves_[i];
    move.bytes = sweep.bytes;
    move.source = sweep.sources[0].slice;
    move.target = sweep.targets[0].slice;
    is_first &= move.to != nullptr;
    if (is_first) first_bytes += move.bytes;
  }
  head_start_ = head_start_of(first_bytes, plan_.endpoints(), spare_core_);
}

void MoveRunner::begin(const transport::Call& call, const Operands& operands) {
  operands_ = &operands;
  bases_ = {operands.input, operands.output, plan_.scratch().data()};
  next_ = returned_ = 0;
  has_lent_ = false;
  for (transport::Endpoint* endpoint : plan_.endpoints()) endpoint->begin(call, {});
}

Status MoveRunner::send_first(const transport::Call& call, const Operands& operands) {
  begin(call, operands);
  while (!has_moved_all() && moves_[next_].to != nullptr) {
    RONDO_ASSIGN(const bool sent, advance());
    if (!sent) break;
  }
  return {};
}

Status MoveRunner::end(Status status, int rank) {
  // A peer that runs its plan the other way may have lent its memory.
  for (transport::Endpoint* endpoint : plan_.endpoints()) {
    if (status.ok()) status = endpoint->verdict();
    endpoint->end();
  }
  if (status.ok() || transport::is_hearsay(status)) return status;
  std::string where = fmt::format("rank {}", rank);
  if (!has_moved_all()) where += ", " + schedule::describe_sweep(plan_.schedule(), 0, next_);
  return std::move(status).at(std::move(where));
}

std::uint32_t MoveRunner::looks_per_step() const { return static_cast<std::uint32_t>(most_looks_); }

Result<bool> MoveRunner::step() {
  bool moved = false;
  trace::CallTimer* const timer = operands_->timer;
  for (int looks = 0; !finished();) {
    RONDO_ASSIGN(const bool advanced, has_moved_all() ? take_back() : advance());
    if (advanced) {
      looks = 0;
      moved = true;
      // With the last the call ends, and so does what it has waited.
      if (timer != nullptr && !finished()) timer->moved();
      continue;
    }
    if (++looks >= most_looks_) break;
    if (looks == 1 && timer != nullptr) timer->idle(waits_for());
    relax();
  }
  return moved;
}

/// True once the next is made.
Result<bool> MoveRunner::advance() {
  RONDO_ASSIGN(const bool made, make(moves_[next_]));
  if (made) ++next_;
  return made;
}

/// What was lent isn't the caller's again before; true if anything came back.
Result<bool> MoveRunner::take_back() {
  const std::size_t before = returned_;
  for (; !has_all_back(); ++returned_) {
    RONDO_ASSIGN(const bool returned, plan_.senders()[returned_].endpoint->returned_eager());
    if (!returned) break;
  }
  return returned_ != before;
}

Result<bool> MoveRunner::send(const Move& move, const std::byte* source) {
  if (move.bytes <= kMostCopiedRow || !move.to->lends(source, move.bytes))
    return move.to->send_eager({source, move.bytes});
  has_lent_ = true;
  return move.to->lend_eager({source, move.bytes});
}

/// True once it is made.
Result<bool> MoveRunner::make(const Move& move) {
  const std::byte* source = move.from == nullptr ? memory(move.source) : nullptr;
  if (move.to != nullptr) return send(move, source);
  if (move.from != nullptr) {
    RONDO_ASSIGN(source, move.from->recv_eager(move.bytes));
    if (source == nullptr) return false;
    if (operands_->timer != nullptr && move.bytes >= kLongCopyBytes)
      operands_->timer->copied_since(move.from->copying_since(0));
  }
  std::byte* const target = memory(move.target);
  const bool is_there = source == target || source == transport::Endpoint::stored();
  if (!is_there && move.bytes > 0) {
    if (move.bytes >= kLongCopyBytes && operands_->timer != nullptr) operands_->timer->moved();
    copy_bytes(target, source, move.bytes);
  }
  if (move.from != nullptr) move.from->release_eager();
  return true;
}

int MoveRunner::waits_for() const {
  if (finished()) return kNoCulprit;
  if (has_moved_all()) return plan_.senders()[returned_].endpoint->peer();
  const Move& move = moves_[next_];
  const transport::Endpoint* const peer = move.from != nullptr ? move.from : move.to;
  return peer == nullptr ? kNoCulprit : peer->peer();
}

std::byte* MoveRunner::memory(const BoundSlice& slice) const {
  return bases_[static_cast<std::size_t>(slice.role)] + slice.offset;
}

}  // namespace rondo::execute
