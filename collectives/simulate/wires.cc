#include "collectives/simulate/wires.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace rondo::simulate {
namespace {

using schedule::Rank;

/// Things (hosts, switches; -1 is none) that have ranks of the same representatives are turns of
/// each other: the class of each by the lowest of these. Classes are numbered as representatives
/// come.
struct Classes {
  std::vector<int> of_representative;
  std::vector<int> members;
};

Classes classes_of(const Quotient& quotient, const std::vector<int>& thing_of) {
  std::map<int, int> lowest;  // thing -> representative
  for (std::size_t rank = 0; rank < thing_of.size(); ++rank) {
    if (thing_of[rank] < 0) continue;
    const int stands = quotient.representative_of(static_cast<Rank>(rank));
    const auto [found, is_new] = lowest.emplace(thing_of[rank], stands);
    if (!is_new) found->second = std::min(found->second, stands);
  }
  std::map<int, int> class_of_lowest;
  Classes classes;
  for (const auto& [thing, representative] : lowest) {
    const auto [found, is_new] =
        class_of_lowest.emplace(representative, static_cast<int>(classes.members.size()));
    if (is_new) classes.members.push_back(0);
    ++classes.members[static_cast<std::size_t>(found->second)];
  }
  for (int i = 0; i < quotient.representatives(); ++i) {
    const int thing = thing_of[static_cast<std::size_t>(quotient.rank_of(i))];
    classes.of_representative.push_back(thing < 0 ? -1 : class_of_lowest.at(lowest.at(thing)));
  }
  return classes;
}

}  // namespace

Wires::Wires(const Network& network, const Quotient& quotient, Fluid& fluid)
    : network_(network), quotient_(quotient), host_of_(hosts_of_ranks(network)) {
  for (std::size_t group = 0; group < network.groups.size(); ++group)
    group_of_host_.insert(group_of_host_.end(),
                          static_cast<std::size_t>(network.groups[group].hosts), group);
  make_hosts(fluid);
  make_switches(fluid);
}

void Wires::make_hosts(Fluid& fluid) {
  Classes classes = classes_of(quotient_, host_of_);
  host_class_of_ = std::move(classes.of_representative);
  hosts_.resize(classes.members.size());
  for (int i = 0; i < quotient_.representatives(); ++i) {
    const auto index = static_cast<std::size_t>(host_class_of_[static_cast<std::size_t>(i)]);
    Shared& shared = hosts_[index];
    if (shared.members > 0) continue;
    shared.first = host_of(quotient_.rank_of(i));
    shared.members = classes.members[index];
    shared.ranks_each = quotient_.ranks_each(i);
    const HostGroup& group = group_of(host_of(quotient_.rank_of(i)));
    const auto add = [&fluid](double capacity, ResourceId& resource, bool& has) {
      has = capacity > 0;
      if (has) resource = fluid.add_resource(capacity);
    };
    add(group.up_bytes_per_us, shared.up, shared.has_up);
    add(group.down_bytes_per_us, shared.down, shared.has_down);
    add(group.memory_bytes_per_us, shared.memory, shared.has_memory);
    const bool share_cores = group.cores > 0 && group.cores < group.ranks;
    add(share_cores ? group.cores : 0, shared.cores, shared.has_cores);
  }
}

void Wires::make_switches(Fluid& fluid) {
  std::vector<int> switch_of_rank;
  for (const int host : host_of_) switch_of_rank.push_back(group_of(host).switch_index);
  Classes classes = classes_of(quotient_, switch_of_rank);
  switch_class_of_ = std::move(classes.of_representative);
  switches_.resize(classes.members.size());
  for (int i = 0; i < quotient_.representatives(); ++i) {
    const int class_index = switch_class_of_[static_cast<std::size_t>(i)];
    if (class_index < 0) continue;
    Shared& shared = switches_[static_cast<std::size_t>(class_index)];
    if (shared.members > 0) continue;
    shared.first = switch_of(quotient_.rank_of(i));
    shared.members = classes.members[static_cast<std::size_t>(class_index)];
    shared.ranks_each = quotient_.ranks_each(i);
    const Switch& device =
        network_.switches[static_cast<std::size_t>(switch_of(quotient_.rank_of(i)))];
    shared.has_up = device.up_bytes_per_us > 0;
    if (shared.has_up) shared.up = fluid.add_resource(device.up_bytes_per_us);
    shared.has_down = device.down_bytes_per_us > 0;
    if (shared.has_down) shared.down = fluid.add_resource(device.down_bytes_per_us);
  }
}

const HostGroup& Wires::group_of(int host) const {
  return network_.groups[group_of_host_[static_cast<std::size_t>(host)]];
}

std::size_t Wires::host_kind(Rank rank) const {
  const auto representative = static_cast<std::size_t>(quotient_.representative_of(rank));
  return static_cast<std::size_t>(host_class_of_[representative]);
}

const Wires::Shared& Wires::host_class(Rank rank) const { return hosts_[host_kind(rank)]; }

const Wires::Shared& Wires::switch_class(Rank rank) const {
  const auto representative = static_cast<std::size_t>(quotient_.representative_of(rank));
  return switches_[static_cast<std::size_t>(switch_class_of_[representative])];
}

double Wires::weight(const Shared& shared) const {
  return static_cast<double>(shared.ranks_each) / shared.members;
}

const Link& Wires::link(Rank from, Rank to) const {
  return host_of(from) == host_of(to) ? network_.inside : network_.between;
}

std::vector<Use> Wires::path(const Channel& channel) const {
  const auto [from, to] = std::pair(channel.from, channel.to);
  std::vector<Use> uses;
  if (host_of(from) == host_of(to)) return uses;
  const Shared& sender = host_class(from);
  const Shared& receiver = host_class(to);
  if (sender.has_up) uses.push_back({sender.up, channel.of_sender ? weight(sender) : 0});
  if (receiver.has_down)
    uses.push_back({receiver.down, channel.of_receiver ? weight(receiver) : 0});
  if (switch_of(from) == switch_of(to)) return uses;
  if (switch_of(from) >= 0 && switch_class(from).has_up)
    uses.push_back({switch_class(from).up, weight(switch_class(from))});
  if (switch_of(to) >= 0 && switch_class(to).has_down)
    uses.push_back({switch_class(to).down, weight(switch_class(to))});
  return uses;
}

void Wires::work(int representative, double bytes_per_us, std::vector<Use>& uses) const {
  const auto index = static_cast<std::size_t>(representative);
  const Shared& host = hosts_[static_cast<std::size_t>(host_class_of_[index])];
  if (host.has_cores) uses.push_back({host.cores, weight(host)});
  if (host.has_memory && bytes_per_us > 0)
    uses.push_back({host.memory, weight(host) * bytes_per_us});
}

Wires::Uplinks::Uplinks(const Wires& wires) : wires_(wires) {
  const auto kinds = [](const std::vector<Shared>& classes) {
    std::vector<UplinkTraffic> traffic;
    for (const Shared& kind : classes)
      traffic.push_back({.index = kind.first, .alike = kind.members});
    return traffic;
  };
  hosts = kinds(wires.hosts_);
  switches = kinds(wires.switches_);
}

/// As `path` has it.
void Wires::Uplinks::add(const Channel& channel, std::uint64_t bytes) {
  const auto [from, to] = std::pair(channel.from, channel.to);
  if (wires_.host_of(from) == wires_.host_of(to)) return;
  const auto carried = static_cast<double>(bytes);
  if (channel.of_sender)
    hosts[wires_.host_kind(from)].up_bytes += carried * wires_.weight(wires_.host_class(from));
  if (channel.of_receiver)
    hosts[wires_.host_kind(to)].down_bytes += carried * wires_.weight(wires_.host_class(to));
  if (wires_.switch_of(from) == wires_.switch_of(to)) return;
  const auto of_switch = [this](Rank rank) -> UplinkTraffic& {
    return switches[static_cast<std::size_t>(&wires_.switch_class(rank) - wires_.switches_.data())];
  };
  if (wires_.switch_of(from) >= 0)
    of_switch(from).up_bytes += carried * wires_.weight(wires_.switch_class(from));
  if (wires_.switch_of(to) >= 0)
    of_switch(to).down_bytes += carried * wires_.weight(wires_.switch_class(to));
}

int Wires::ranks_of_host(int representative) const {
  return group_of(host_of(quotient_.rank_of(representative))).ranks;
}

}  // namespace rondo::simulate
