#pragma once

// A network as the representatives of a quotient use it: the resources that their work and their
// messages take, and how much of each. Hosts (and switches) that are turns of each other are one
// resource; `weight` says how many turns of one activity share each of them.

#include <cstdint>
#include <vector>

#include "collectives/simulate/bound_world.h"
#include "collectives/simulate/fluid.h"
#include "collectives/simulate/network.h"
#include "collectives/simulate/quotient.h"
#include "collectives/simulate/simulate.h"

namespace rondo::simulate {

class Wires {
 public:
  /// Borrows all three. Adds its resources to `fluid`.
  Wires(const Network& network, const Quotient& quotient, Fluid& fluid);

  const Link& link(schedule::Rank from, schedule::Rank to) const;
  /// What a channel's messages take on their way; empty: nothing limits them. On a link whose
  /// representative has another channel in its place they take nothing, and get the same share.
  std::vector<Use> path(const Channel& channel) const;
  /// What a core's work takes: the host's cores where ranks outnumber them; the memory at
  /// `bytes_per_us` where that is limited.
  void work(int representative, double bytes_per_us, std::vector<Use>& uses) const;
  int ranks_of_host(int representative) const;

  /// What crosses the links of hosts and switches where the representatives' channels carry so
  /// much.
  class Uplinks;

 private:
  struct Shared {
    int first = 0;       ///< the one whose ranks are looked at
    int members = 0;     ///< hosts, or switches, that are turns of each other
    int ranks_each = 0;  ///< that each of their representatives stands for
    ResourceId up = 0, down = 0, cores = 0, memory = 0;
    bool has_up = false, has_down = false, has_cores = false, has_memory = false;
  };
  int host_of(schedule::Rank rank) const { return host_of_[static_cast<std::size_t>(rank)]; }
  const HostGroup& group_of(int host) const;
  int switch_of(schedule::Rank rank) const { return group_of(host_of(rank)).switch_index; }
  std::size_t host_kind(schedule::Rank rank) const;
  const Shared& host_class(schedule::Rank rank) const;
  const Shared& switch_class(schedule::Rank rank) const;
  double weight(const Shared& shared) const;
  void make_hosts(Fluid& fluid);
  void make_switches(Fluid& fluid);

  const Network& network_;
  const Quotient& quotient_;
  std::vector<int> host_of_;
  std::vector<std::size_t> group_of_host_;
  std::vector<int> host_class_of_;    ///< by representative
  std::vector<int> switch_class_of_;  ///< by representative; -1: none
  std::vector<Shared> hosts_;
  std::vector<Shared> switches_;
};

class Wires::Uplinks {
 public:
  /// Borrows it.
  explicit Uplinks(const Wires& wires);

  void add(const Channel& channel, std::uint64_t bytes);
  std::vector<UplinkTraffic> hosts, switches;  ///< one of each kind

 private:
  const Wires& wires_;
};

}  // namespace rondo::simulate
