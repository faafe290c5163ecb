#include "collectives/communicator/tuning_world.h"

#include <map>
#include <optional>
#include <set>

#include "transport/mesh/pair_kind.h"

namespace rondo::communicator {

using transport::RankInfo;

std::string_view transport_of_pairs(std::span<const RankInfo> ranks, std::string_view asked_for) {
  // A world where some pair can't have it isn't made.
  if (asked_for != "auto") return asked_for;
  std::optional<transport::TransportKind> kind;
  for (std::size_t a = 0; a < ranks.size(); ++a) {
    for (std::size_t b = a + 1; b < ranks.size(); ++b) {
      // "auto" has one for every pair.
      const transport::TransportKind of_pair =
          transport::pair_kind(static_cast<int>(a), ranks[a], static_cast<int>(b), ranks[b],
                               asked_for)
              .value();
      if (kind.value_or(of_pair) != of_pair) return "mixed";
      kind = of_pair;
    }
  }
  return kind.has_value() ? transport::to_string(*kind) : "none";
}

std::vector<std::size_t> cores_of_hosts(std::span<const RankInfo> ranks) {
  std::map<std::string_view, std::set<int>> cores;
  for (const RankInfo& rank : ranks)
    cores[rank.host_identity].insert(rank.cores.begin(), rank.cores.end());
  std::vector<std::size_t> counts;
  for (const RankInfo& rank : ranks) counts.push_back(cores[rank.host_identity].size());
  return counts;
}

}  // namespace rondo::communicator
