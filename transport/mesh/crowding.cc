#include "transport/mesh/crowding.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/mesh/mesh.h"
#include "transport/shm/host_identity.h"

namespace rondo::transport {
namespace {

using Core = std::pair<std::size_t, int>;  // its machine's number, and the system's number there

/// Cores that one rank may run on are of one set.
class CoreSets {
 public:
  std::size_t number(const Core& core) {
    const auto [found, is_new] = numbers_.emplace(core, sets_.size());
    if (is_new) sets_.push_back(found->second);
    return found->second;
  }
  std::size_t set_of(std::size_t core) const {
    while (sets_[core] != core) core = sets_[core];
    return core;
  }
  void join(std::size_t a, std::size_t b) { sets_[set_of(a)] = set_of(b); }
  std::size_t cores() const { return sets_.size(); }

 private:
  std::map<Core, std::size_t> numbers_;
  std::vector<std::size_t> sets_;  // by core: another of its set, itself at the end
};

bool overlap(const std::vector<int>& a, const std::vector<int>& b) {
  return std::ranges::any_of(a, [&](int core) { return std::ranges::find(b, core) != b.end(); });
}

HomeShare home_share_of(std::span<const RankInfo> ranks, std::size_t own) {
  const std::string_view machine = machine_of(ranks[own].host_identity);
  const std::vector<int>& cores = ranks[own].cores;
  HomeShare share;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (machine_of(ranks[rank].host_identity) != machine) continue;
    if (ranks[rank].cores == cores) {
      if (rank < own) ++share.index;
      ++share.of;
    } else if (overlap(ranks[rank].cores, cores)) {
      return {};
    }
  }
  return share;
}

}  // namespace

Crowding crowding_of(std::span<const RankInfo> ranks, int own) {
  CoreSets sets;
  std::map<std::string_view, std::size_t> machines;
  const auto number = [&](const RankInfo& rank, int core) {
    const auto [machine, is_new] =
        machines.emplace(machine_of(rank.host_identity), machines.size());
    return sets.number({machine->second, core});
  };
  for (const RankInfo& rank : ranks) {
    for (const int core : rank.cores) sets.join(number(rank, core), number(rank, rank.cores[0]));
  }
  std::vector<double> cores_of(sets.cores());
  std::vector<double> ranks_of(sets.cores());
  for (std::size_t core = 0; core < sets.cores(); ++core) ++cores_of[sets.set_of(core)];
  const auto set_of = [&](const RankInfo& rank) {
    return sets.set_of(number(rank, rank.cores[0]));
  };
  for (const RankInfo& rank : ranks)
    if (!rank.cores.empty()) ++ranks_of[set_of(rank)];
  Crowding crowding;
  for (std::size_t set = 0; set < sets.cores(); ++set) {
    if (cores_of[set] > 0) crowding.most = std::max(crowding.most, ranks_of[set] / cores_of[set]);
  }
  const RankInfo& here = ranks[static_cast<std::size_t>(own)];
  if (!here.cores.empty()) crowding.here = ranks_of[set_of(here)] / cores_of[set_of(here)];
  crowding.home = home_share_of(ranks, static_cast<std::size_t>(own));
  return crowding;
}

}  // namespace rondo::transport
