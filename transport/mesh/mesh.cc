#include "transport/mesh/mesh.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "transport/shm/host_identity.h"

namespace rondo::transport {
namespace {

class CoreCount {
 public:
  void add(const RankInfo& rank) {
    ++ranks_;
    cores_.insert(rank.cores.begin(), rank.cores.end());
  }
  CoreUse use() const { return {ranks_, cores_.size()}; }

 private:
  int ranks_ = 0;
  std::set<int> cores_;
};

}  // namespace

Mesh::Mesh(const Identity& identity, std::vector<RankInfo> ranks,
           std::vector<std::unique_ptr<Transport>> transports, MeshMeans means)
    : identity_(identity),
      ranks_(std::move(ranks)),
      means_(std::move(means)),
      transports_(std::move(transports)),
      endpoints_(ranks_.size()) {
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
  CoreCount count;
  for (const RankInfo& other : ranks_)
    if (other.host_identity == here) count.add(other);
  return count.use();
}

CoreUse Mesh::core_use_of_machine() const {
  const std::string& here = ranks_[static_cast<std::size_t>(identity_.rank)].host_identity;
  CoreCount count;
  for (const RankInfo& other : ranks_)
    if (machine_of(other.host_identity) == machine_of(here)) count.add(other);
  return count.use();
}

double Mesh::most_ranks_per_core() const {
  std::map<std::string_view, CoreCount> machines;
  for (const RankInfo& rank : ranks_) machines[machine_of(rank.host_identity)].add(rank);
  double most = 0;
  for (const auto& [name, count] : machines) {
    const auto [ranks, cores] = count.use();
    most = std::max(most, ranks / std::max(1.0, static_cast<double>(cores)));
  }
  return most;
}

void Mesh::say_goodbye() {
  for (Transport* transport : borrowed_) transport->say_goodbye();
}

}  // namespace rondo::transport
