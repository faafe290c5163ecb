#include "collectives/execute/host/one_shot_runner.h"

#include <algorithm>
#include <cstring>

#include "core/relax.h"
#include "transport/wire/control.h"

namespace rondo::execute {
namespace {

/// Looks at a line before the waiter is asked how to wait: about as long as a peer on another core
/// takes to answer.
constexpr int kLooks = 200;

}  // namespace

bool OneShotRunner::suits(const std::vector<transport::Endpoint*>& endpoints, std::size_t bytes) {
  return bytes <= kMaxBytes &&
         std::all_of(endpoints.begin(), endpoints.end(), [bytes](const auto* endpoint) {
           return endpoint == nullptr || bytes <= endpoint->inline_bytes();
         });
}

OneShotRunner::OneShotRunner(Inputs inputs)
    : inputs_(std::move(inputs)),
      bytes_(inputs_.count * inputs_.element_bytes),
      contributions_(inputs_.endpoints.size()) {
  for (transport::Endpoint* endpoint : inputs_.endpoints) {
    if (endpoint != nullptr) peers_.push_back(endpoint);
  }
  for (const Contribution& contribution : contributions_) sources_.push_back(contribution.data());
}

void OneShotRunner::begin(const transport::Call& call, std::byte* input, std::byte* output) {
  sent_ = received_ = 0;
  output_ = output;
  for (transport::Endpoint* peer : peers_) peer->begin(call, {});
  Contribution& own = contributions_[static_cast<std::size_t>(inputs_.rank)];
  if (bytes_ > 0) std::memcpy(own.data(), input, bytes_);
}

Status OneShotRunner::end(Status status, int rank) {
  for (transport::Endpoint* peer : peers_) peer->end();
  if (!status.ok() && transport::is_hearsay(status)) return status;
  if (!status.ok()) return std::move(status).at("rank " + std::to_string(rank));
  void* target = output_;
  inputs_.kernel({.sources = sources_,
                  .targets = std::span(&target, 1),
                  .count = inputs_.count,
                  .divisor = inputs_.divisor});
  return {};
}

Result<bool> OneShotRunner::step() {
  RONDO_ASSIGN(bool moved, send_all());
  for (int look = 0; look < kLooks && !finished(); ++look) {
    RONDO_ASSIGN(const bool received, receive_next());
    if (received) {
      moved = true;
      look = 0;
    } else {
      relax();
    }
  }
  return moved;
}

Result<bool> OneShotRunner::send_all() {
  const Contribution& own = contributions_[static_cast<std::size_t>(inputs_.rank)];
  const std::size_t before = sent_;
  for (; sent_ < peers_.size(); ++sent_) {
    RONDO_ASSIGN(const bool sent, peers_[sent_]->send_inline({own.data(), bytes_}));
    if (!sent) break;
  }
  return sent_ != before;
}

Result<bool> OneShotRunner::receive_next() {
  transport::Endpoint* peer = peers_[received_];
  Contribution& theirs = contributions_[static_cast<std::size_t>(peer->peer())];
  RONDO_ASSIGN(const bool received, peer->recv_inline({theirs.data(), bytes_}));
  if (received) ++received_;
  return received;
}

int OneShotRunner::waits_for() const { return finished() ? kNoCulprit : peers_[received_]->peer(); }

}  // namespace rondo::execute
