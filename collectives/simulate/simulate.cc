#include "collectives/simulate/simulate.h"

#include <fmt/format.h>

#include "collectives/simulate/simulation.h"

namespace rondo::simulate {

Result<Prediction> simulate(const schedule::FoldedWorld& world, const schedule::ChunkTable& table,
                            const Network& network, const Options& options) {
  if (world.rotation.world() != network.world()) {
    return Status(ErrorCode::kInvalidArgument,
                  fmt::format("the schedule is for {} ranks, the network has {}",
                              world.rotation.world(), network.world()));
  }
  const std::uint32_t rows = world.bases.front().request.rows;
  if (table.rows() != rows) {
    return Status(
        ErrorCode::kInvalidArgument,
        fmt::format("the schedule has {} rows, the table of their sizes {}", rows, table.rows()));
  }
  const Quotient quotient =
      options.fold ? Quotient::of(world.rotation, network, table) : Quotient::whole(world.rotation);
  const BoundWorld bound(world, quotient);
  Simulation simulation(bound, quotient, table, network, options);
  RONDO_TRY(simulation.run());
  return std::move(simulation).result();
}

}  // namespace rondo::simulate
