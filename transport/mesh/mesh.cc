#include "transport/mesh/mesh.h"

#include <algorithm>
#include <set>

namespace rondo::transport {

Mesh::Mesh(const Identity& identity, std::vector<RankInfo> ranks,
           std::vector<std::unique_ptr<Transport>> transports, MeshMeans means)
    : identity_(identity),
      ranks_(std::move(ranks)),
      means_(std::move(means)),
      transports_(std::move(transports)),
      endpoints_(ranks_.size()),
      crowding_(crowding_of(ranks_, identity_.rank)) {
  crowding_.home.shift = identity.job;
  if (means_.crowding.most > 0) crowding_.home = means_.crowding.home;
  crowding_.here = std::max(crowding_.here, means_.crowding.here);
  crowding_.most = std::max(crowding_.most, means_.crowding.most);
  for (const auto& transport : transports_) {
    borrowed_.push_back(transport.get());
    for (std::size_t peer = 0; peer < endpoints_.size(); ++peer) {
      if (Endpoint* endpoint = transport->endpoint(static_cast<int>(peer))) {
        endpoints_[peer] = endpoint;
      }
    }
  }
}

bool Mesh::one_host() const {
  return std::all_of(endpoints_.begin(), endpoints_.end(), [](const Endpoint* endpoint) {
    return endpoint == nullptr || endpoint->kind() != TransportKind::kTcp;
  });
}

bool Mesh::shares_memory() const {
  return std::any_of(endpoints_.begin(), endpoints_.end(), [](const Endpoint* endpoint) {
    return endpoint != nullptr && endpoint->kind() != TransportKind::kTcp;
  });
}

std::vector<int> Mesh::hosts() const {
  std::vector<int> hosts;
  for (const RankInfo& rank : ranks_) {
    const auto first = std::find_if(ranks_.begin(), ranks_.end(), [&](const RankInfo& other) {
      return other.host_identity == rank.host_identity;
    });
    hosts.push_back(static_cast<int>(first - ranks_.begin()));
  }
  return hosts;
}

CoreUse Mesh::core_use_here() const {
  const std::string& here = ranks_[static_cast<std::size_t>(identity_.rank)].host_identity;
  CoreUse use;
  std::set<int> cores;
  for (const RankInfo& other : ranks_) {
    if (other.host_identity != here) continue;
    ++use.ranks;
    cores.insert(other.cores.begin(), other.cores.end());
  }
  use.cores = cores.size();
  return use;
}

void Mesh::read_private_from(std::size_t bytes) {
  for (Transport* transport : borrowed_) transport->read_private_from(bytes);
}

bool Mesh::may_read_private() const {
  return std::ranges::any_of(borrowed_, &Transport::may_read_private);
}

void Mesh::say_goodbye() {
  for (Transport* transport : borrowed_) transport->say_goodbye();
}

}  // namespace rondo::transport
