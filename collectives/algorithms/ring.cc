#include "collectives/algorithms/ring.h"

namespace rondo::algorithms {
namespace {

/// The row `back` places before row `rank` on the ring; 0 <= back <= 2 * world.
std::uint32_t row_behind(schedule::Rank rank, int back, int world) {
  return static_cast<std::uint32_t>((rank + 2 * world - back) % world);
}

}  // namespace

schedule::Rank ring_next(schedule::Rank rank, int world) { return (rank + 1) % world; }

schedule::Rank ring_previous(schedule::Rank rank, int world) { return (rank + world - 1) % world; }

std::uint32_t ring_reduce_row(schedule::Rank rank, int step, int world) {
  return row_behind(rank, step + 1, world);
}

std::uint32_t ring_first_row(schedule::Rank rank) { return static_cast<std::uint32_t>(rank); }

std::uint32_t ring_gather_row(schedule::Rank rank, int step, int world) {
  return row_behind(rank, step, world);
}

std::uint32_t ring_scatter_row(schedule::Rank rank, int step, int world) {
  return row_behind(rank, step + 2, world);
}

std::uint32_t ring_scatter_first_row(schedule::Rank rank, int world) {
  return row_behind(rank, 1, world);
}

std::uint32_t ring_all_gather_row(schedule::Rank rank, int step, int world) {
  return row_behind(rank, step + 1, world);
}

}  // namespace rondo::algorithms
