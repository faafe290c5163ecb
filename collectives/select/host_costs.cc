#include "collectives/select/host_costs.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "collectives/algorithms/hierarchical_broadcast.h"
#include "collectives/algorithms/tree_broadcast.h"
#include "collectives/select/host_traffic.h"

namespace rondo::select {

using schedule::HostLayout;
using schedule::Rank;

namespace {

CostTerms ring_of(CostTerms around, const HostLayout& hosts, std::span<const Rank> order) {
  around.volume *= streams_between_hosts(hosts, order);
  if (hosts.links() != nullptr)
    around.volume *= hosts.links()->slowest() / schedule::slowest_step(*hosts.links(), order);
  return around;
}

/// Columns that a rank of the smallest host owns (algorithms/host_columns.h).
double most_columns_of_a_rank(const HostLayout& hosts) {
  return std::ceil(static_cast<double>(hosts.most_ranks()) / least_ranks(hosts));
}

/// A tree of the hosts or a chain, which passes on piece by piece: what is moved as one is shorter
/// than a row.
CostTerms along_the_hosts(const Layout& layout, std::size_t bytes, std::uint32_t rows) {
  const int hosts = layout.hosts->hosts();
  const double levels = std::ceil(std::log2(hosts));
  const double ranks = layout.hosts->most_ranks();
  if (!algorithms::hierarchical_broadcast_is_chain(hosts, rows))
    return {.steps = levels, .volume = levels, .messages = 1 / ranks};
  const double pieces =
      static_cast<double>(bytes) / static_cast<double>(default_segment_bytes(layout));
  return {.steps = hosts - 1.0,
          .volume = 1 + (hosts - 2) / std::max(1.0, pieces),
          .messages = 1 / ranks};
}

}  // namespace

CostTerms ring_by_rank(CostTerms around, const Layout& layout) {
  if (layout.hosts == nullptr) return around;
  std::vector<Rank> order(static_cast<std::size_t>(layout.world));
  std::iota(order.begin(), order.end(), 0);
  return ring_of(around, *layout.hosts, order);
}

CostTerms ring_by_order(CostTerms around, const Layout& layout) {
  return layout.hosts == nullptr ? around : ring_of(around, *layout.hosts, layout.hosts->order());
}

// Once through a host's link; inside, all but the last of the rows while others come.
CostTerms once_between_hosts(const HostLayout& hosts) {
  const double p = hosts.world();
  const double h = hosts.hosts();
  const double columns = hosts.most_ranks();
  const double messages = (h - 1) * most_columns_of_a_rank(hosts);
  CostTerms terms{.steps = steps_of_messages(h - 1, messages),
                  .volume = (p - least_ranks(hosts)) / p,
                  .messages = messages};
  if (columns == 1) return terms;
  terms.steps_inside = one_step(columns) + (h - 1) / 2;
  terms.volume_inside = (columns - 1) / columns;
  return terms;
}

// All columns of a host pass its link, whoever owns them; messages are those of the rank of the
// smallest host that owns most columns; inside one row for each host
// and owner in turn.
CostTerms twice_between_hosts(const HostLayout& hosts) {
  const double h = hosts.hosts();
  const double columns = hosts.most_ranks();
  CostTerms terms{.steps = 2 * (h - 1),
                  .volume = 2 * (h - 1) / h,
                  .messages = 2 * (h - 1) * most_columns_of_a_rank(hosts)};
  if (columns == 1) return terms;
  terms.steps_inside = 1 + one_step(columns) + (h - 1) / 2;
  terms.volume_inside = 2 * (columns - 1) / columns;
  return terms;
}

CostTerms down_the_hosts(const Layout& layout, std::size_t bytes) {
  const auto rows = algorithms::tree_broadcast_rows(layout.hosts->hosts(), bytes / sizeof(float));
  CostTerms terms = along_the_hosts(layout, bytes, rows);
  const double ranks = layout.hosts->most_ranks();
  if (ranks == 1) return terms;
  terms.steps_inside = one_step(ranks);
  terms.volume_inside = 1;
  return terms;
}

CostTerms up_the_hosts(const Layout& layout, std::size_t bytes) {
  const auto columns = static_cast<std::size_t>(layout.hosts->most_ranks());
  const auto rows =
      algorithms::tree_broadcast_rows(layout.hosts->hosts(), bytes / sizeof(float) / columns);
  CostTerms terms = along_the_hosts(layout, bytes, rows);
  if (columns == 1) return terms;
  const auto ranks = static_cast<double>(columns);
  terms.steps_inside = 1 + one_step(ranks);
  terms.volume_inside = 2 * (ranks - 1) / ranks;
  return terms;
}

}  // namespace rondo::select
