#include "collectives/simulate/even_rows.h"

#include <algorithm>
#include <vector>

#include "collectives/simulate/simulate.h"
#include "collectives/simulate/sweep_cost.h"
#include "collectives/simulate/wires.h"

namespace rondo::simulate {
namespace {

bool ranks_have_one_lane(const BoundWorld& world) {
  for (std::size_t rank = 0; rank < world.ranks(); ++rank) {
    const auto lanes = world.lanes_of(rank);
    if (std::ranges::count_if(lanes, [](BoundLane lane) { return !lane.is_empty(); }) > 1)
      return false;
  }
  return true;
}

bool shares_nothing(const HostGroup& group) {
  return (group.cores == 0 || group.cores >= group.ranks) &&
         group.memory_bytes_per_us == kUnlimited;
}

/// Whether no link of a host or switch is passed by two channels.
bool links_have_one_channel(const BoundWorld& world, const Quotient& quotient,
                            const Network& network) {
  Fluid fluid;
  const Wires wires(network, quotient, fluid);
  std::vector<double> channels;  // by resource
  for (const Channel& channel : world.channels()) {
    for (const Use& use : wires.path(channel)) {
      channels.resize(std::max<std::size_t>(channels.size(), use.resource + 1));
      channels[use.resource] += use.weight;
    }
  }
  return std::ranges::all_of(channels, [](double count) { return count <= 1; });
}

/// Of the last pieces of both rows. Those before are alike, and where the longer row has one
/// more, that only adds to it.
bool cost_grows(const Link& link, const Piece& shorter, const Piece& longer) {
  const Work nothing;
  const auto sent_us = [&](const Piece& piece, const Passage& passage) {
    SweepCost cost(nothing, piece, 0);
    cost.send(link, passage);
    return cost.us();
  };
  const auto received_us = [&](const Piece& piece, const Passage& passage) {
    SweepCost cost(nothing, piece, 0);
    cost.receive(link, passage);
    return cost.us();
  };
  for (const Passage passage : {Passage{}, {.follows = true}, {.stored = true}}) {
    if (sent_us(shorter, passage) > sent_us(longer, passage)) return false;
    if (received_us(shorter, passage) > received_us(longer, passage)) return false;
  }
  return link.cost_of(shorter.longest_message()).latency_us <=
         link.cost_of(longer.longest_message()).latency_us;
}

}  // namespace

std::optional<EvenRows> even_rows(const schedule::ChunkTable& table) {
  std::size_t least = table.count(0);
  std::size_t most = least;
  for (std::uint32_t row = 1; row < table.rows(); ++row) {
    least = std::min(least, table.count(row));
    most = std::max(most, table.count(row));
  }
  if (most != least + 1) return std::nullopt;
  return EvenRows{schedule::ChunkTable::equal(least * table.rows(), table.rows()),
                  schedule::ChunkTable::equal(most * table.rows(), table.rows())};
}

bool rows_bound_times(const BoundWorld& world, const Quotient& quotient, const Network& network,
                      const EvenRows& rows, const Options& options) {
  const std::size_t before = rows.shortest.count(0) * options.element_bytes;
  const std::size_t last = before % options.piece_bytes();
  const auto grows = [&](const Link& link) {
    return (last == 0 && before > 0) ||
           cost_grows(link, {last, options.segment_bytes},
                      {last + options.element_bytes, options.segment_bytes});
  };
  return ranks_have_one_lane(world) && std::ranges::all_of(network.groups, shares_nothing) &&
         grows(network.inside) && grows(network.between) &&
         links_have_one_channel(world, quotient, network);
}

}  // namespace rondo::simulate
