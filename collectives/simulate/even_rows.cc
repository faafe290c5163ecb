#include "collectives/simulate/even_rows.h"

#include <algorithm>
#include <vector>

#include "collectives/simulate/simulate.h"
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

/// Of the last segments of both rows. Those before are alike, and where the longer row has one
/// more, that only adds to it.
bool cost_grows(const Link& link, std::size_t shorter, std::size_t longer) {
  const MessageCost& less = link.cost_of(shorter);
  const MessageCost& more = link.cost_of(longer);
  const auto of = [](double each, double per_byte, std::size_t bytes) {
    return each + per_byte * static_cast<double>(bytes);
  };
  return less.latency_us <= more.latency_us &&
         of(less.send_us, less.send_us_per_byte, shorter) <=
             of(more.send_us, more.send_us_per_byte, longer) &&
         of(less.receive_us, less.receive_us_per_byte, shorter) <=
             of(more.receive_us, more.receive_us_per_byte, longer);
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
  const std::size_t last = before % options.segment_bytes;
  const auto grows = [&](const Link& link) {
    return (last == 0 && before > 0) || cost_grows(link, last, last + options.element_bytes);
  };
  return ranks_have_one_lane(world) && std::ranges::all_of(network.groups, shares_nothing) &&
         grows(network.inside) && grows(network.between) &&
         links_have_one_channel(world, quotient, network);
}

}  // namespace rondo::simulate
