#include "collectives/execute/host/one_shot_runner.h"

#include <algorithm>
#include <cstring>

#include "core/relax.h"
#include "transport/wire/control.h"

namespace rondo::execute {
namespace {

bool takes_of(const std::vector<OneShotRunner::Part>& parts, int rank) {
  return std::ranges::any_of(parts, [rank](const auto& part) { return part.rank == rank; });
}

}  // namespace

bool OneShotRunner::suits(const std::vector<transport::Endpoint*>& endpoints, std::size_t bytes) {
  return std::all_of(endpoints.begin(), endpoints.end(), [bytes](const auto* endpoint) {
    return endpoint == nullptr || bytes <= endpoint->eager_bytes();
  });
}

bool OneShotRunner::suits_bulletins(const std::vector<transport::Endpoint*>& endpoints,
                                    std::size_t bytes) {
  return std::all_of(endpoints.begin(), endpoints.end(), [bytes](const auto* endpoint) {
    return endpoint == nullptr || bytes <= endpoint->bulletin_bytes();
  });
}

OneShotRunner::OneShotRunner(Inputs inputs)
    : inputs_(std::move(inputs)),
      bytes_(inputs_.count * inputs_.element_bytes),
      sources_(inputs_.endpoints.size()) {
  for (transport::Endpoint* endpoint : inputs_.endpoints) {
    if (endpoint == nullptr) continue;
    peers_.push_back(endpoint);
    const bool awaited = !inputs_.gathered || takes_of(*inputs_.gathered, endpoint->peer());
    is_awaited_.push_back(awaited ? 1 : 0);
  }
}

void OneShotRunner::begin(const transport::Call& call, const Operands& operands) {
  settled_ = sent_ = received_ = 0;
  operands_ = &operands;
  for (transport::Endpoint* peer : peers_) peer->begin(call, {});
  sources_[static_cast<std::size_t>(inputs_.rank)] = operands.input;
}

Status OneShotRunner::send_first(const transport::Call& call, const Operands& operands) {
  begin(call, operands);
  return publish();
}

Status OneShotRunner::end(Status status, int rank) {
  if (status.ok()) status = combine();
  for (transport::Endpoint* peer : peers_) peer->end();
  if (status.ok() || transport::is_hearsay(status)) return status;
  return std::move(status).at("rank " + std::to_string(rank));
}

Status OneShotRunner::combine() {
  Status combined;
  if (inputs_.gathered) {
    gather();
  } else if (bytes_ != 0) {  // a barrier has nothing
    combined = reduce();
  }
  // Bulletins aren't given back, and lend nothing.
  if (inputs_.bulletins) {
    peers_.back()->expect_publish();
    return combined;
  }
  for (transport::Endpoint* peer : peers_) peer->release_eager();
  RONDO_TRY(std::move(combined));
  // A peer that runs the schedule instead may have lent its memory.
  for (transport::Endpoint* peer : peers_) RONDO_TRY(peer->verdict());
  return {};
}

void OneShotRunner::gather() {
  std::byte* target = operands_->output;
  for (const Part& part : *inputs_.gathered) {
    if (part.bytes == 0) continue;
    const void* const contribution = sources_[static_cast<std::size_t>(part.rank)];
    const std::byte* const source = static_cast<const std::byte*>(contribution) + part.offset;
    if (source != target) std::memcpy(target, source, part.bytes);  // else in place
    target += part.bytes;
  }
}

Status OneShotRunner::reduce() {
  // After a wait that ends with the call: a kernel so short takes less than to read the clock.
  if (timer() != nullptr && !inputs_.bulletins) timer()->reduces_to_the_end();
  void* target = operands_->output;
  const kernels::ReduceArguments arguments{.sources = sources_,
                                           .targets = std::span(&target, 1),
                                           .count = inputs_.count,
                                           .divisor = inputs_.divisor};
  if (operands_->custom) {
    return kernels::reduce_by(operands_->custom, arguments).with_culprit(inputs_.rank);
  }
  inputs_.kernel(arguments);
  return {};
}

std::uint32_t OneShotRunner::looks_per_step() const {
  return static_cast<std::uint32_t>(most_looks(inputs_.spare_core));
}

Result<bool> OneShotRunner::step() {
  const std::size_t before = sent_;
  if (before != peers_.size()) RONDO_TRY(send_all());
  bool moved = sent_ != before;
  const int looks = most_looks(inputs_.spare_core);
  while (!has_received_all()) {
    RONDO_ASSIGN(bool received, receive_next(1));
    if (!received && looks > 1) {
      if (timer() != nullptr) timer()->idle(waits_for());
      RONDO_ASSIGN(received, receive_next(looks - 1));
    }
    if (!received) break;
    moved = true;
    const bool ends_call = inputs_.bulletins && has_received_all();
    if (timer() != nullptr && !ends_call) timer()->moved();
  }
  return moved;
}

/// What was skipped in the call before.
Status OneShotRunner::settle() {
  for (; settled_ < peers_.size(); ++settled_) {
    if (!peers_[settled_]->has_skipped()) continue;
    RONDO_ASSIGN(const bool settled, peers_[settled_]->settle_bulletin());
    if (!settled) break;
  }
  return {};
}

Status OneShotRunner::publish() {
  RONDO_TRY(settle());
  if (settled_ != peers_.size()) return {};
  for (; sent_ < peers_.size(); ++sent_) RONDO_TRY(peers_[sent_]->publish(own()));
  return {};
}

Status OneShotRunner::send_all() {
  if (inputs_.bulletins) return publish();
  for (; sent_ < peers_.size(); ++sent_) {
    RONDO_ASSIGN(const bool sent, peers_[sent_]->send_eager(own()));
    if (!sent) break;
  }
  return {};
}

std::span<const std::byte> OneShotRunner::own() const {
  const auto rank = static_cast<std::size_t>(inputs_.rank);
  return {static_cast<const std::byte*>(sources_[rank]), bytes_of(inputs_.rank)};
}

Result<bool> OneShotRunner::receive_next(int looks) {
  transport::Endpoint* peer = peers_[received_];
  if (sent_ != peers_.size() && inputs_.bulletins) return false;  // first what was skipped
  const std::size_t bytes = bytes_of(peer->peer());
  if (is_awaited_[received_] == 0) {
    peer->skip_bulletin(bytes);
    ++received_;
    return true;
  }
  RONDO_ASSIGN(const std::byte* const theirs, read_next(bytes, looks));
  if (theirs == nullptr) return false;
  sources_[static_cast<std::size_t>(peer->peer())] = theirs;
  ++received_;
  return true;
}

Result<const std::byte*> OneShotRunner::read_next(std::size_t bytes, int looks) {
  transport::Endpoint* peer = peers_[received_];
  if (inputs_.bulletins) return peer->read_bulletin(bytes, looks);
  while (true) {
    RONDO_ASSIGN(const std::byte* const theirs, peer->recv_eager(bytes));
    if (theirs != nullptr || --looks == 0) return theirs;
    relax();
  }
}

int OneShotRunner::waits_for() const {
  if (inputs_.bulletins && settled_ != peers_.size()) return peers_[settled_]->peer();
  if (!has_received_all()) return peers_[received_]->peer();
  return finished() ? kNoCulprit : peers_[sent_]->peer();
}

}  // namespace rondo::execute
