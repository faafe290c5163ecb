#include "transport/inproc/inproc_transport.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/random_bits.h"
#include "transport/inproc/inproc_endpoint.h"
#include "transport/inproc/place_registry.h"

namespace rondo::transport {
namespace {

// Equal in all places of a process and in no other; the pid tells a forked child from its parent.
std::string process_name() {
  static const std::uint64_t drawn = random_bits();
  return fmt::format("inproc-{}-{:016x}", ::getpid(), drawn);
}

std::string address_of(int rank) { return fmt::format("{}/{}", process_name(), rank); }

}  // namespace

Result<std::unique_ptr<InprocTransport>> InprocTransport::create(const Identity& identity) {
  if (identity.world < 1 || identity.rank < 0 || identity.rank >= identity.world)
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("rank {} in a world of {}", identity.rank, identity.world));
  RONDO_ASSIGN(auto place, InprocPlace::create(identity));
  RONDO_TRY(PlaceRegistry::instance().add(place));
  return std::unique_ptr<InprocTransport>(new InprocTransport(std::move(place)));
}

InprocTransport::InprocTransport(std::shared_ptr<InprocPlace> place)
    : place_(std::move(place)), endpoints_(static_cast<std::size_t>(place_->identity().world)) {}

InprocTransport::~InprocTransport() {
  PlaceRegistry::instance().remove(*place_);
  say_goodbye();
}

void InprocTransport::say_goodbye() {
  place_->leave();
  for (InprocEndpoint* endpoint : connected_) endpoint->ring_doorbell();
}

std::string InprocTransport::address() const { return address_of(place_->identity().rank); }

Status InprocTransport::connect(std::span<const PeerAddress> peers, Deadline deadline) {
  const Identity& own = place_->identity();
  std::vector<int> ranks;
  for (const PeerAddress& peer : peers) {
    if (peer.rank < 0 || peer.rank >= own.world || peer.rank == own.rank)
      return Status(ErrorCode::kInvalidArgument,
                    fmt::format("rank {} can't connect to rank {} in a world of {}", own.rank,
                                peer.rank, own.world));
    if (peer.address != address_of(peer.rank))
      return Status(ErrorCode::kInvalidArgument,
                    fmt::format("rank {} ({}) isn't a place of this process ({})", peer.rank,
                                peer.address, process_name()),
                    peer.rank);
    ranks.push_back(peer.rank);
  }
  RONDO_ASSIGN(auto places, PlaceRegistry::instance().join(place_, ranks, deadline, look()));
  for (auto& peer : places) {
    auto& endpoint = endpoints_[static_cast<std::size_t>(peer->identity().rank)];
    endpoint = std::make_unique<InprocEndpoint>(place_, std::move(peer));
    connected_.push_back(endpoint.get());
  }
  return {};
}

Endpoint* InprocTransport::endpoint(int rank) {
  const auto index = static_cast<std::size_t>(rank);
  return index < endpoints_.size() ? endpoints_[index].get() : nullptr;
}

Status InprocTransport::progress() {
  if (place_->has_mail()) read_mail();
  Status first;
  for (InprocEndpoint* endpoint : connected_) {
    endpoint->look();
    if (Status status = endpoint->progress(); !status.ok() && first.ok()) first = std::move(status);
  }
  return first;
}

void InprocTransport::read_mail() {
  for (InprocEndpoint* endpoint : connected_) endpoint->look_for_notice();
}

bool InprocTransport::arm() {
  announce_sleep(place_->head().sleep);
  if (place_->has_mail()) return true;
  for (InprocEndpoint* endpoint : connected_)
    if (endpoint->has_news() || endpoint->can_progress() || endpoint->copy_lent()) return true;
  return false;
}

void InprocTransport::disarm() {
  announce_wake(place_->head().sleep);
  place_->silence();
}

}  // namespace rondo::transport
