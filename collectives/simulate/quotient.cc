#include "collectives/simulate/quotient.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rondo::simulate {
namespace {

using schedule::Rank;

bool alike(const HostGroup& a, const HostGroup& b) {
  return a.ranks == b.ranks && a.cores == b.cores && a.up_bytes_per_us == b.up_bytes_per_us &&
         a.down_bytes_per_us == b.down_bytes_per_us &&
         a.memory_bytes_per_us == b.memory_bytes_per_us;
}

bool alike(const Switch& a, const Switch& b) {
  return a.up_bytes_per_us == b.up_bytes_per_us && a.down_bytes_per_us == b.down_bytes_per_us;
}

/// Which host, group of hosts and switch each rank belongs to.
struct Places {
  explicit Places(const Network& network) : host_of(hosts_of_ranks(network)) {
    for (std::size_t group = 0; group < network.groups.size(); ++group)
      group_of_host.insert(group_of_host.end(),
                           static_cast<std::size_t>(network.groups[group].hosts), group);
  }
  const HostGroup& group(const Network& network, int host) const {
    return network.groups[group_of_host[static_cast<std::size_t>(host)]];
  }
  std::vector<int> host_of;
  std::vector<std::size_t> group_of_host;
};

/// A map that is filled pair by pair; false where a pair contradicts one before it.
class PartialMap {
 public:
  bool add(int from, int to) { return map_.emplace(from, to).first->second == to; }

 private:
  std::map<int, int> map_;
};

/// Whether the network is the same where every rank takes the place of the one `steps` further.
bool keeps_network(const schedule::Rotation& rotation, int steps, const Network& network,
                   const Places& places) {
  PartialMap hosts;
  PartialMap switches;
  for (Rank rank = 0; rank < rotation.world(); ++rank) {
    const int host = places.host_of[static_cast<std::size_t>(rank)];
    const int to = places.host_of[static_cast<std::size_t>(rotation.turned(rank, steps))];
    if (!hosts.add(host, to)) return false;
    const HostGroup& a = places.group(network, host);
    const HostGroup& b = places.group(network, to);
    if (!alike(a, b) || !switches.add(a.switch_index, b.switch_index)) return false;
    if ((a.switch_index < 0) != (b.switch_index < 0)) return false;
    if (a.switch_index >= 0 && !alike(network.switches[static_cast<std::size_t>(a.switch_index)],
                                      network.switches[static_cast<std::size_t>(b.switch_index)]))
      return false;
  }
  return true;
}

bool keeps_row_sizes(const schedule::Rotation& rotation, int steps,
                     const schedule::ChunkTable& table) {
  for (std::uint32_t row = 0; row < table.rows(); ++row) {
    if (table.count(rotation.turned_row(row, steps)) != table.count(row)) return false;
  }
  return true;
}

}  // namespace

Quotient Quotient::whole(const schedule::Rotation& rotation) {
  return Quotient(rotation, rotation.world());
}

Quotient Quotient::of(const schedule::Rotation& rotation, const Network& network,
                      const schedule::ChunkTable& table) {
  const Places places(network);
  for (int steps = 1; steps < rotation.order(); ++steps) {
    if (rotation.order() % steps != 0) continue;
    if (keeps_network(rotation, steps, network, places) && keeps_row_sizes(rotation, steps, table))
      return Quotient(rotation, steps);
  }
  return whole(rotation);
}

Quotient Quotient::of_kinds(std::vector<Representative> representatives,
                            std::vector<int> stands_for) {
  Quotient quotient(schedule::Rotation::none(static_cast<int>(stands_for.size())),
                    static_cast<int>(representatives.size()));
  quotient.kinds_ = std::move(representatives);
  quotient.stands_for_ = std::move(stands_for);
  return quotient;
}

Rank Quotient::rank_of(int representative) const {
  if (!kinds_.empty()) return kinds_[static_cast<std::size_t>(representative)].rank;
  return turns() ? rotation_.turned(0, representative) : representative;
}

int Quotient::representative_of(Rank rank) const {
  if (!kinds_.empty()) return stands_for_[static_cast<std::size_t>(rank)];
  return turns() ? rotation_.turn(rank) % representatives_ : rank;
}

int Quotient::ranks_each(int representative) const {
  if (!kinds_.empty()) return kinds_[static_cast<std::size_t>(representative)].ranks;
  return rotation_.world() / representatives_;
}

Rank Quotient::as_sent_by_representative(Rank sender, int to) const {
  if (!turns()) return to;
  const int turn = rotation_.turn(sender);
  return rotation_.turned(rank_of(to), -(turn - turn % representatives_));
}

}  // namespace rondo::simulate
