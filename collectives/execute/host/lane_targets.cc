// Where a LaneRunner stores what it computes: into this rank's memory, and into the peers' where it
// can get at it.

#include <algorithm>

#include "collectives/execute/host/lane_runner.h"

namespace rondo::execute {
namespace {

using schedule::BufferRole;
using transport::StoreRegion;

StoreRegion region_of(BufferRole role) {
  return role == BufferRole::kScratch ? StoreRegion::kScratch : StoreRegion::kOutput;
}

}  // namespace

/// Direct targets become plain addresses where the peer's memory is mapped. Only a reducing sweep
/// stores into peers; moved bytes are cheaper to lend than to write twice.
void LaneRunner::find_targets() {
  const BoundSweep& sweep = current();
  if (sweep.sources.size() < 2) return;
  for (std::size_t i = 0; i < sweep.targets.size(); ++i) {
    const BoundPort& port = sweep.targets[i];
    if (!port.direct) continue;
    stores_[i] =
        target_peer(i).peer_store(region_of(port.slice.role), port.slice.offset, sweep.bytes);
    if (stores_[i] == nullptr) backs_[i] = replaceable_source(i);
  }
}

bool LaneRunner::stores_into_peer(std::size_t target) const {
  return current().targets[target].is_channel && stores_[target] != nullptr;
}

bool LaneRunner::stores_into_peers() const {
  for (std::size_t i = 0; i < current().targets.size(); ++i)
    if (stores_into_peer(i)) return true;
  return false;
}

Status LaneRunner::begin_stores() const {
  for (std::size_t i = 0; i < current().targets.size(); ++i)
    if (stores_into_peer(i)) RONDO_TRY(target_peer(i).begin_store());
  return {};
}

void LaneRunner::end_stores() const {
  for (std::size_t i = 0; i < current().targets.size(); ++i)
    if (stores_into_peer(i)) target_peer(i).end_store();
}

transport::Endpoint& LaneRunner::target_peer(std::size_t target) const {
  return *plan_.senders()[current().targets[target].channel].endpoint;
}

/// The source port of a target's peer.
std::size_t LaneRunner::replaceable_source(std::size_t target) const {
  const BoundSweep& sweep = current();
  const int peer = target_peer(target).peer();
  for (std::size_t i = 0; i < sweep.sources.size(); ++i) {
    const BoundPort& port = sweep.sources[i];
    if (port.is_channel && receiver(port).endpoint->peer() == peer) return i;
  }
  return kNoSource;
}

bool LaneRunner::writes_back() const {
  const auto backs = std::span(backs_).first(current().targets.size());
  return std::ranges::any_of(backs, [](std::size_t source) { return source != kNoSource; });
}

/// Where the target's peer sent this segment from a slot, so that its result can go there; null
/// where it didn't, and from then on.
std::byte* LaneRunner::write_back(std::size_t target, std::uint32_t segment) {
  if (backs_[target] == kNoSource) return nullptr;
  const BoundPort& port = current().targets[target];
  const Incoming& incoming = incoming_[backs_[target]];
  const transport::Token token = incoming.tokens[segment % incoming.tokens.size()];
  std::byte* const slot =
      receiver(current().sources[backs_[target]])
          .endpoint->write_back(token, region_of(port.slice.role),
                                port.slice.offset + segment * plan_.segment_bytes());
  if (slot == nullptr) backs_[target] = kNoSource;
  return slot;
}

}  // namespace rondo::execute
