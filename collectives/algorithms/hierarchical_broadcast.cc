// Hierarchical broadcast: the data enters each host once, and goes to all ranks of a host inside
// it, where they read the same memory at once.
//
// Each host has a leader: the root in its own, the lowest rank in the others. Between: the leaders
// pass the rows on, one by one, along a binomial tree of the hosts (tree_broadcast.cc) or, where
// the data is cut into so many rows that this takes less time, along a chain of them, in which a
// host's link sends everything once at most. Inside: the leader offers each row to all ranks of its
// host as soon as it has it. The root copies its input to its output (nothing to do in place).
//
// A chain of h hosts takes rows + h - 2 times a row's time, a tree ceil(log2 h) * rows times.
//
// Cost: alpha_inside + bytes * beta_inside, and between hosts in a tree
// ceil(log2 h) * (alpha + bytes * beta), in a chain (h-1) alpha + (1 + (h-2)/rows) * bytes * beta.
// Source: as hierarchical_all_reduce.cc; the chain as in J. Pjesivac-Grbovic et al., "Performance
// analysis of MPI collective operations", Cluster Computing 10 (2007).

#include "collectives/algorithms/hierarchical_broadcast.h"

#include <bit>
#include <utility>
#include <vector>

#include "collectives/algorithms/host_columns.h"
#include "collectives/algorithms/tree_broadcast.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

namespace {

/// The leaders that a host hears from and passes on to.
struct Leaders {
  Rank before = -1;
  std::vector<Rank> after;
};

class Writer {
 public:
  explicit Writer(const schedule::Request& request)
      : builder_(request),
        request_(request),
        hosts_(request),
        root_host_(schedule::layout_of(request)->host_of(request.root)) {}

  schedule::RankSchedule write() && {
    const Rank leader = leader_of(hosts_.host());
    if (request_.rank == leader) {
      lead();
    } else {
      for (std::uint32_t row = 0; row < request_.rows; ++row) builder_.recv(leader, output(row));
    }
    return std::move(builder_).finish();
  }

 private:
  static Slice output(std::uint32_t row) { return {BufferRole::kOutput, row}; }
  Rank leader_of(int host) const {
    return host == root_host_ ? request_.root : hosts_.owner(host, 0);
  }
  /// `number` of a host: the root's has 0.
  Rank leader_numbered(int number) const {
    return leader_of(tree_rank(number, root_host_, hosts_.hosts()));
  }
  Leaders leaders() const {
    const int hosts = hosts_.hosts();
    const int number = tree_number(hosts_.host(), root_host_, hosts);
    const bool chain = hierarchical_broadcast_is_chain(hosts, request_.rows);
    Leaders list;
    if (number > 0) list.before = leader_numbered(chain ? number - 1 : tree_parent(number));
    if (!chain) {
      for (const int child : tree_children(number, hosts))
        list.after.push_back(leader_numbered(child));
    } else if (number + 1 < hosts) {
      list.after.push_back(leader_numbered(number + 1));
    }
    return list;
  }
  void lead() {
    const Leaders other = leaders();
    for (std::uint32_t row = 0; row < request_.rows; ++row) {
      if (request_.rank == request_.root) {
        builder_.copy({BufferRole::kInput, row}, output(row));
      } else {
        builder_.recv(other.before, output(row));
      }
      for (const Rank leader : other.after) builder_.send(leader, output(row));
      for (int mate = 0; mate < hosts_.mates(); ++mate)
        builder_.send(hosts_.mate(mate), output(row));
    }
  }

  schedule::Builder builder_;
  const schedule::Request request_;
  const HostColumns hosts_;
  const int root_host_;
};

}  // namespace

std::uint32_t hierarchical_broadcast_rows(const schedule::Request& request, std::size_t count) {
  return tree_broadcast_rows(schedule::layout_of(request)->hosts(), count);
}

bool hierarchical_broadcast_is_chain(int hosts, std::uint32_t rows) {
  const auto others = static_cast<std::uint32_t>(hosts - 1);
  return others + rows - 1 < static_cast<std::uint32_t>(std::bit_width(others)) * rows;
}

schedule::RankSchedule hierarchical_broadcast(const schedule::Request& request) {
  return Writer(request).write();
}

}  // namespace rondo::algorithms
