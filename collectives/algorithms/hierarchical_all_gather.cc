// Hierarchical all-gather: every row crosses from host to host once, by a rank of its own, and goes
// to all ranks of a host inside it, where memory is shared.
//
// Ranks stand in columns (host_columns.h): row r is in the column that its rank owns, so a column
// has at most one row of each host. Phase 1: each rank puts its own row in its place in the output
// (nothing to do in place). Phase 2, between and inside: the owners of a column, one in each host,
// pass its rows on round a ring of the hosts, in one step those of this host, in the next those of
// the host before, and so on; where that host has fewer ranks than there are columns, there is
// nothing to pass on. In each step the owners also offer what they have got to all ranks of their
// host, so that the inside is at work while the next rows come.
//
// Inside a host rows are exchanged in rounds, one row of each owner at a time. A rank that owns
// several columns serves their rings one after the other in each step, in everybody's order.
//
// Cost, for h hosts of l ranks: (h-1) alpha_between + (h-1)/h * output bytes * beta_between, which
// is that of a host's link, + h alpha_inside + (l-1)/l * output bytes * beta_inside, of which all
// but the last step's overlaps. The ring has these bytes in p-1 steps.
// Source: as hierarchical_all_reduce.cc; also J. L. Traeff, "Efficient allgather for regular
// SMP-clusters", EuroPVM/MPI 2006.

#include "collectives/algorithms/hierarchical_all_gather.h"

#include <utility>

#include "collectives/algorithms/host_columns.h"
#include "collectives/algorithms/ring.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

namespace {

class Writer {
 public:
  explicit Writer(const schedule::Request& request)
      : builder_(request), rank_(request.rank), hosts_(request) {}

  schedule::RankSchedule write() && {
    builder_.copy({BufferRole::kInput, static_cast<std::uint32_t>(rank_)}, output_of(rank_));
    for (int step = 0; step < hosts_.hosts(); ++step) {
      for (int first = 0; first < hosts_.columns(); first += hosts_.columns_of_round())
        round(step, first);
    }
    return std::move(builder_).finish();
  }

 private:
  static Slice output_of(Rank rank) {
    return {BufferRole::kOutput, static_cast<std::uint32_t>(rank)};
  }
  void round(int step, int first) {
    const auto from = static_cast<int>(ring_gather_row(hosts_.host(), step, hosts_.hosts()));
    const int own = hosts_.own_column(first);
    if (hosts_.has_rank(from, own)) pass_on(step, from, own);
    for (int mate = 0; mate < hosts_.mates(); ++mate) {
      const int column = hosts_.mate_column(first, mate);
      if (hosts_.has_rank(from, column))
        builder_.recv(hosts_.mate(mate), output_of(hosts_.owner(from, column)));
    }
  }
  void pass_on(int step, int from, int column) {
    const Slice row = output_of(hosts_.owner(from, column));
    if (step > 0) builder_.recv(hosts_.previous(column), row);
    if (step < hosts_.hosts() - 1) builder_.send(hosts_.next(column), row);
    for (int mate = 0; mate < hosts_.mates(); ++mate) builder_.send(hosts_.mate(mate), row);
  }

  schedule::Builder builder_;
  const Rank rank_;
  const HostColumns hosts_;
};

}  // namespace

schedule::RankSchedule hierarchical_all_gather(const schedule::Request& request) {
  return Writer(request).write();
}

}  // namespace rondo::algorithms
