#include "collectives/execute/host/eager_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "collectives/execute/host/reduce_by_plan.h"
#include "collectives/schedule/print.h"
#include "core/copy_bytes.h"
#include "core/prefetch.h"
#include "core/relax.h"
#include "transport/wire/control.h"

namespace rondo::execute {
namespace {

bool fits(const BoundSweep& sweep, const Plan& plan) {
  if (sweep.is_wait || sweep.segments != 1) return false;
  const auto takes = [&sweep](const transport::Endpoint* endpoint) {
    return endpoint->eager_bytes().value_or(0) >= sweep.bytes &&
           endpoint->eager_bytes().has_value();
  };
  return std::ranges::all_of(sweep.targets,
                             [&](const BoundPort& port) {
                               return !port.is_channel ||
                                      takes(plan.senders()[port.channel].endpoint);
                             }) &&
         std::ranges::all_of(sweep.sources, [&](const BoundPort& port) {
           return !port.is_channel || takes(plan.receivers()[port.channel].endpoint);
         });
}

bool takes_from_peers(const BoundSweep& sweep) {
  return std::ranges::any_of(sweep.sources, &BoundPort::is_channel);
}

/// Rows that go to one peer one after the other: a queue hands them over together.
bool sends_rows_together(const Plan& plan) {
  const transport::Endpoint* last = nullptr;  // was sent to, and nothing has been received since
  for (const BoundSweep& sweep : plan.lanes()[0]) {
    if (takes_from_peers(sweep)) last = nullptr;
    for (const BoundPort& port : sweep.targets) {
      if (!port.is_channel) continue;
      const transport::Endpoint* const endpoint = plan.senders()[port.channel].endpoint;
      if (endpoint == last && endpoint->gathers()) return true;
      last = endpoint;
    }
  }
  return false;
}

bool sends(const BoundSweep& sweep) {
  return std::ranges::any_of(sweep.targets, &BoundPort::is_channel);
}

}  // namespace

bool EagerRunner::suits(const Plan& plan) {
  return plan.lanes().size() == 1 && plan.wire().format == kernels::WireFormat::kNone &&
         std::ranges::all_of(plan.lanes()[0],
                             [&plan](const BoundSweep& sweep) { return fits(sweep, plan); }) &&
         !sends_rows_together(plan);
}

EagerRunner::EagerRunner(const Plan& plan, bool spare_core, Memory memory)
    : plan_(plan),
      sweeps_(plan.lanes()[0]),
      spare_core_(spare_core),
      most_looks_(most_looks(spare_core, plan.endpoints())),
      lends_(memory == Memory::kLent) {
  std::size_t sources = 0;
  std::size_t targets = 0;
  for (const BoundSweep& sweep : sweeps_) {
    sources = std::max(sources, sweep.sources.size());
    targets = std::max(targets, sweep.targets.size());
  }
  sources_.resize(sources);
  targets_.reserve(targets);
  stored_.resize(targets);
  EagerRunner::resize();
}

void EagerRunner::resize() {
  std::size_t own_bytes = 0;
  own_sweeps_ = 0;
  for (const BoundSweep& sweep : sweeps_) {
    if (takes_from_peers(sweep)) break;
    ++own_sweeps_;
    own_bytes += sweep.bytes * sweep.targets.size();
  }
  if (own_sweeps_ > 0) head_start_ = head_start_of(own_bytes, plan_.endpoints(), spare_core_);
}

void EagerRunner::begin(const transport::Call& call, const Operands& operands) {
  bases_ = {operands.input, operands.output, plan_.scratch().data()};
  operands_ = &operands;
  sweep_ = source_ = target_ = returned_ = 0;
  combined_ = false;
  for (transport::Endpoint* endpoint : plan_.endpoints()) {
    if (lends_) {
      endpoint->begin(call, {std::span(operands.output, plan_.output_bytes()), plan_.scratch()});
    } else {
      endpoint->begin(call, {});
    }
  }
}

/// All that waits for nobody.
Status EagerRunner::send_first(const transport::Call& call, const Operands& operands) {
  begin(call, operands);
  while (sweep_ < own_sweeps_) {
    RONDO_ASSIGN(const bool sent, advance());
    if (!sent) break;
  }
  return {};
}

Status EagerRunner::end(Status status, int rank) {
  // A peer that runs its plan the other way may have lent its memory.
  for (transport::Endpoint* endpoint : plan_.endpoints()) {
    if (status.ok()) status = endpoint->verdict();
    endpoint->end();
  }
  if (status.ok() || transport::is_hearsay(status)) return status;
  std::string where = fmt::format("rank {}", rank);
  if (sweep_ < sweeps_.size())
    where += ", " + schedule::describe_sweep(plan_.schedule(), 0, sweep_);
  return std::move(status).at(std::move(where));
}

std::uint32_t EagerRunner::looks_per_step() const {
  return static_cast<std::uint32_t>(most_looks_);
}

Result<bool> EagerRunner::step() {
  bool moved = false;
  for (int look = 0; look < most_looks_ && !finished(); ++look) {
    RONDO_ASSIGN(const bool advanced, sweep_ < sweeps_.size() ? advance() : take_back());
    if (advanced) {
      moved = true;
      look = -1;
      // With the last the call ends, and so does what it has waited.
      if (timer() != nullptr && !finished()) timer()->moved();
    } else if (most_looks_ > 1) {
      if (look == 0 && timer() != nullptr) timer()->idle(waits_for());
      relax();
    }
  }
  return moved;
}

/// Goes on with the current sweep; true if anything moved.
Result<bool> EagerRunner::advance() {
  const std::size_t source = source_;
  const std::size_t target = target_;
  RONDO_ASSIGN(const bool received, receive());
  if (!received) return source_ != source;
  if (!combined_) find_targets();
  if (!combined_ && !sends_first_) RONDO_TRY(combine());
  RONDO_ASSIGN(const bool sent, send());
  if (!sent) return source_ != source || target_ != target;
  // What peers read meanwhile.
  if (!combined_) RONDO_TRY(combine());
  next_sweep();
  return true;
}

/// True once all of the sweep's sources are there.
Result<bool> EagerRunner::receive() {
  const BoundSweep& sweep = sweeps_[sweep_];
  for (; source_ < sweep.sources.size(); ++source_) {
    const BoundPort& port = sweep.sources[source_];
    if (!port.is_channel) {
      sources_[source_] = memory(port.slice);
      continue;
    }
    transport::Endpoint* const endpoint = plan_.receivers()[port.channel].endpoint;
    RONDO_ASSIGN(const std::byte* const view, endpoint->recv_eager(sweep.bytes));
    if (view == nullptr) return false;
    if (timer() != nullptr && sweep.bytes >= kLongCopyBytes)
      timer()->copied_since(endpoint->copying_since(0));
    sources_[source_] = view;
  }
  return true;
}

Status EagerRunner::combine() {
  combined_ = true;
  const BoundSweep& sweep = sweeps_[sweep_];
  // What is sent on has come, however long that takes.
  if (timer() != nullptr && sweep.sources.size() == 1 && sends(sweep)) timer()->moved();
  if (targets_.empty()) return {};
  if (sweep.sources.size() > 1) {
    const kernels::ReduceArguments arguments{
        .sources = std::span(sources_).first(sweep.sources.size()),
        .targets = targets_,
        .count = sweep.bytes / plan_.element_bytes(),
        .divisor = sweep.final ? plan_.divisor() : 1};
    Status reduced = begin_stores();
    if (reduced.ok()) reduced = reduce(arguments);
    end_stores();
    RONDO_TRY(std::move(reduced));
    // What took the place of a message has to be there before it is said to be.
    release_sources();
    return {};
  }
  if (sources_[0] == transport::Endpoint::stored()) sources_[0] = targets_[0];
  for (void* target : targets_) {
    if (target == sources_[0] || sweep.bytes == 0) continue;
    if (timer() != nullptr && sweep.bytes >= kLongCopyBytes) timer()->copies();
    copy_bytes(target, sources_[0], sweep.bytes);
  }
  return {};
}

/// Where results mostly lie where peers look for them, and what is next is noted at once, the
/// kernel's end is noted with that.
Status EagerRunner::reduce(const kernels::ReduceArguments& arguments) {
  trace::CallTimer* const timer = this->timer();
  if (timer == nullptr || !lends_ || most_looks_ == 1)
    return reduce_by_plan(plan_, operands_->custom, timer, arguments);
  for (const void* source : arguments.sources)
    prefetch_to_read(source, arguments.count * plan_.element_bytes());
  timer->begin_last_kernel();
  return reduce_by_plan(plan_, operands_->custom, nullptr, arguments);
}

/// A store that isn't into the peer's memory but in place of its message needs none of this, which
/// costs nothing.
Status EagerRunner::begin_stores() const {
  const BoundSweep& sweep = sweeps_[sweep_];
  for (std::size_t i = 0; i < sweep.targets.size(); ++i)
    if (stored_[i] != 0) RONDO_TRY(sender_of(sweep.targets[i])->begin_store());
  return {};
}

void EagerRunner::end_stores() const {
  const BoundSweep& sweep = sweeps_[sweep_];
  for (std::size_t i = 0; i < sweep.targets.size(); ++i)
    if (stored_[i] != 0) sender_of(sweep.targets[i])->end_store();
}

void EagerRunner::find_targets() {
  const BoundSweep& sweep = sweeps_[sweep_];
  targets_.clear();
  for (const BoundPort& port : sweep.targets) {
    if (!port.is_channel) targets_.push_back(memory(port.slice));
  }
  sends_first_ = sends_before_copy();
  payload_ =
      static_cast<const std::byte*>(targets_.empty() || sends_first_ ? sources_[0] : targets_[0]);
  for (std::size_t i = 0; i < sweep.targets.size(); ++i) {
    std::byte* const store = peer_memory(sweep.targets[i]);
    stored_[i] = store != nullptr ? 1 : 0;
    if (store != nullptr) targets_.push_back(store);
  }
}

/// Unless peers can read the output where it lies, and the input not.
bool EagerRunner::sends_before_copy() const {
  const BoundSweep& sweep = sweeps_[sweep_];
  if (!sweep.sends_before_copy || targets_.empty()) return false;
  if (!lends_) return true;
  const auto to = std::ranges::find_if(sweep.targets, &BoundPort::is_channel);
  const transport::Endpoint* const peer = sender_of(*to);
  const auto lends = [&](const void* data) {
    return peer->lends(static_cast<const std::byte*>(data), sweep.bytes);
  };
  return lends(sources_[0]) || !lends(targets_[0]);
}

/// Where the peer's memory may be stored to. As in PlanRunner, only a reducing sweep does.
std::byte* EagerRunner::peer_memory(const BoundPort& port) const {
  const BoundSweep& sweep = sweeps_[sweep_];
  if (!lends_ || !port.direct || sweep.sources.size() < 2) return nullptr;
  const auto region = port.slice.role == schedule::BufferRole::kScratch
                          ? transport::StoreRegion::kScratch
                          : transport::StoreRegion::kOutput;
  transport::Endpoint* const endpoint = sender_of(port);
  std::byte* const store = endpoint->peer_store(region, port.slice.offset, sweep.bytes);
  if (store != nullptr || !has_source_from(endpoint)) return store;
  return endpoint->write_back_eager(region, port.slice.offset);
}

bool EagerRunner::has_source_from(const transport::Endpoint* endpoint) const {
  return std::ranges::any_of(sweeps_[sweep_].sources, [&](const BoundPort& port) {
    return port.is_channel && plan_.receivers()[port.channel].endpoint == endpoint;
  });
}

/// True once the sweep has been sent to all its targets.
Result<bool> EagerRunner::send() {
  const BoundSweep& sweep = sweeps_[sweep_];
  for (; target_ < sweep.targets.size(); ++target_) {
    if (!sweep.targets[target_].is_channel) continue;
    RONDO_ASSIGN(const bool sent, send_to(target_));
    if (!sent) return false;
  }
  return true;
}

Result<bool> EagerRunner::send_to(std::size_t target) {
  const BoundSweep& sweep = sweeps_[sweep_];
  transport::Endpoint* const endpoint = sender_of(sweep.targets[target]);
  if (stored_[target] != 0) return endpoint->stored_eager(sweep.bytes);
  if (lends_ && endpoint->lends(payload_, sweep.bytes))
    return endpoint->lend_eager({payload_, sweep.bytes});
  if (timer() != nullptr && sweep.bytes >= kLongCopyBytes) timer()->end_last_kernel();
  return endpoint->send_eager({payload_, sweep.bytes});
}

/// What was lent isn't the caller's again before; true if anything moved.
Result<bool> EagerRunner::take_back() {
  const std::size_t before = returned_;
  for (; !has_all_back(); ++returned_) {
    RONDO_ASSIGN(const bool returned, plan_.senders()[returned_].endpoint->returned_eager());
    if (!returned) break;
  }
  return returned_ != before;
}

void EagerRunner::release_sources() {
  for (const BoundPort& port : sweeps_[sweep_].sources) {
    if (port.is_channel) plan_.receivers()[port.channel].endpoint->release_eager();
  }
}

void EagerRunner::next_sweep() {
  release_sources();
  ++sweep_;
  source_ = target_ = 0;
  combined_ = false;
}

int EagerRunner::waits_for() const {
  if (finished()) return kNoCulprit;
  if (sweep_ == sweeps_.size()) return plan_.senders()[returned_].endpoint->peer();
  const BoundSweep& sweep = sweeps_[sweep_];
  if (source_ < sweep.sources.size() && sweep.sources[source_].is_channel)
    return plan_.receivers()[sweep.sources[source_].channel].endpoint->peer();
  if (target_ < sweep.targets.size() && sweep.targets[target_].is_channel)
    return sender_of(sweep.targets[target_])->peer();
  return kNoCulprit;
}

transport::Endpoint* EagerRunner::sender_of(const BoundPort& port) const {
  return plan_.senders()[port.channel].endpoint;
}

std::byte* EagerRunner::memory(const BoundSlice& slice) const {
  return bases_[static_cast<std::size_t>(slice.role)] + slice.offset;
}

}  // namespace rondo::execute
