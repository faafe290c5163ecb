#include "collectives/execute/host/one_shot_runner.h"

#include <algorithm>
#include <string>

#include "core/prefetch.h"
#include "core/relax.h"
#include "transport/wire/control.h"

namespace rondo::execute {

bool OneShotRunner::suits(const std::vector<transport::Endpoint*>& endpoints, std::size_t bytes) {
  return std::ranges::all_of(endpoints, [bytes](const auto* endpoint) {
    return endpoint == nullptr || bytes <= endpoint->eager_bytes();
  });
}

OneShotRunner::OneShotRunner(const Inputs& inputs)
    : contributions_(inputs.contributions, {.count = inputs.count}),
      spare_core_(inputs.spare_core) {
  for (transport::Endpoint* endpoint : inputs.endpoints)
    if (endpoint != nullptr) peers_.push_back(endpoint);
}

void OneShotRunner::begin(const transport::Call& call, const Operands& operands) {
  sent_ = received_ = 0;
  contributions_.begin(operands);
  for (transport::Endpoint* peer : peers_) peer->begin(call, {});
}

Status OneShotRunner::send_first(const transport::Call& call, const Operands& operands) {
  begin(call, operands);
  return send_all();
}

Status OneShotRunner::end(Status status, int rank) {
  if (status.ok()) status = combine();
  for (transport::Endpoint* peer : peers_) peer->end();
  if (status.ok() || transport::is_hearsay(status)) return status;
  return std::move(status).at("rank " + std::to_string(rank));
}

Status OneShotRunner::combine() {
  if (timer() != nullptr && contributions_.are_combined()) {
    timer()->moved();
    timer()->reduces_to_the_end();
  }
  Status combined = contributions_.combine();
  for (transport::Endpoint* peer : peers_) peer->release_eager();
  RONDO_TRY(std::move(combined));
  // A peer that runs the schedule instead may have lent its memory.
  for (transport::Endpoint* peer : peers_) RONDO_TRY(peer->verdict());
  return {};
}

std::uint32_t OneShotRunner::looks_per_step() const {
  return static_cast<std::uint32_t>(most_looks(spare_core_, peers_));
}

Result<bool> OneShotRunner::step() {
  const std::size_t before = sent_;
  if (before != peers_.size()) RONDO_TRY(send_all());
  const bool sent = sent_ != before;
  RONDO_ASSIGN(const bool received, receive_all());
  return sent || received;
}

Status OneShotRunner::send_all() {
  for (; sent_ < peers_.size(); ++sent_) {
    RONDO_ASSIGN(const bool sent, peers_[sent_]->send_eager(contributions_.own()));
    if (!sent) break;
  }
  return {};
}

Result<bool> OneShotRunner::receive_all() {
  const std::size_t before = received_;
  const int looks = most_looks(spare_core_, peers_);
  for (; received_ != peers_.size(); ++received_) {
    RONDO_ASSIGN(const std::byte* theirs, receive_next(1));
    if (theirs == nullptr && looks > 1) {
      if (timer() != nullptr) timer()->idle(waits_for());
      RONDO_ASSIGN(theirs, receive_next(looks - 1));
    }
    if (theirs == nullptr) break;
    contributions_.put(peers_[received_]->peer(), theirs);
    if (timer() == nullptr) continue;
    prefetch_to_read(theirs, contributions_.bytes());
    timer()->moved();
  }
  return received_ != before;
}

Result<const std::byte*> OneShotRunner::receive_next(int looks) {
  transport::Endpoint* peer = peers_[received_];
  while (true) {
    RONDO_ASSIGN(const std::byte* const theirs, peer->recv_eager(contributions_.bytes()));
    if (theirs != nullptr || --looks == 0) return theirs;
    relax();
  }
}

int OneShotRunner::waits_for() const {
  if (!has_received_all()) return peers_[received_]->peer();
  return finished() ? kNoCulprit : peers_[sent_]->peer();
}

}  // namespace rondo::execute
