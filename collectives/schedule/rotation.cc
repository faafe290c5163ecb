#include "collectives/schedule/rotation.h"

#include <algorithm>

namespace rondo::schedule {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }
std::size_t at(std::uint32_t index) { return index; }

}  // namespace

Rotation Rotation::none(int world) {
  Rotation rotation;
  rotation.world_ = world;
  return rotation;
}

std::optional<Rotation> Rotation::along(std::span<const Rank> cycle,
                                        std::span<const std::uint32_t> next_row) {
  Rotation rotation = none(static_cast<int>(cycle.size()));
  rotation.order_ = rotation.world_;
  rotation.cycle_.assign(cycle.begin(), cycle.end());
  rotation.turn_.resize(cycle.size());
  for (std::size_t turn = 0; turn < cycle.size(); ++turn) {
    rotation.turn_[at(cycle[turn])] = static_cast<int>(turn);
  }
  std::uint32_t fixed = 0;
  while (fixed < next_row.size() && next_row[fixed] == fixed) ++fixed;
  if (fixed == next_row.size()) return rotation;
  rotation.place_of_row_.assign(next_row.size(), {.orbit = 0, .turn = -1});
  std::uint32_t orbit = 0;
  for (std::uint32_t first = 0; first < next_row.size(); ++first) {
    if (rotation.place_of_row_[first].turn >= 0) continue;
    std::uint32_t row = first;
    for (int turn = 0; turn < rotation.order_; ++turn, row = next_row[row]) {
      if (rotation.place_of_row_[row].turn >= 0) return std::nullopt;
      rotation.place_of_row_[row] = {orbit, turn};
      rotation.row_at_.push_back(row);
    }
    if (row != first) return std::nullopt;
    ++orbit;
  }
  return rotation;
}

Rank Rotation::turned(Rank rank, int steps) const {
  if (order_ == 1 || rank < 0 || rank >= world_) return rank;
  return cycle_[at(wrapped(turn_[at(rank)] + steps))];
}

std::uint32_t Rotation::turned_row(std::uint32_t row, int steps) const {
  if (row >= place_of_row_.size()) return row;
  const RowPlace place = place_of_row_[row];
  return row_at_[at(place.orbit) * at(order_) + at(wrapped(place.turn + steps))];
}

Slice Rotation::turned(Slice slice, int steps) const {
  if (slice.buffer == BufferRole::kScratch) return slice;
  return {slice.buffer, turned_row(slice.chunk, steps)};
}

std::uint32_t Rotation::base_row(std::uint32_t row) const {
  return !turns_rows() ? row : row_at_[at(place_of_row_[row].orbit) * at(order_)];
}

int Rotation::row_turn(std::uint32_t row) const {
  return !turns_rows() ? 0 : place_of_row_[row].turn;
}

namespace {

/// Sorts a copy: another sweep may have the same ports.
void sort_sources(FusedSchedule& own, Sweep& sweep) {
  const auto sources = sources_of(own, sweep);
  std::vector<Port> sorted(sources.begin(), sources.end());
  std::ranges::sort(sorted, {}, [&](const Port& port) { return source_rank(own, port); });
  sweep.first_source = static_cast<std::uint32_t>(own.ports.size());
  own.ports.insert(own.ports.end(), sorted.begin(), sorted.end());
  sweep.by_rank = false;
}

}  // namespace

FusedSchedule unfold(const FoldedWorld& world, Rank rank) {
  const Rotation& rotation = world.rotation;
  FusedSchedule own = world.bases[at(rotation.base(rank))];
  const int steps = rotation.turn(rank);
  own.request.rank = rank;
  for (Port& port : own.ports) {
    if (port.is_channel()) port.peer = rotation.turned(port.peer, steps);
    if (!port.is_channel() || port.direct) port.slice = rotation.turned(port.slice, steps);
  }
  for (std::vector<Sweep>& lane : own.lanes) {
    for (Sweep& sweep : lane) {
      if (!sweep.is_wait) sweep.row = rotation.turned_row(sweep.row, steps);
      if (sweep.by_rank) sort_sources(own, sweep);
    }
  }
  own.scratch_rows = scratch_rows(world, rank);
  return own;
}

std::vector<std::uint32_t> scratch_rows(const FoldedWorld& world, Rank rank) {
  const Rotation& rotation = world.rotation;
  std::vector<std::uint32_t> rows = world.bases[at(rotation.base(rank))].scratch_rows;
  for (std::uint32_t& row : rows) row = rotation.turned_row(row, rotation.turn(rank));
  return rows;
}

std::vector<FusedSchedule> unfold(const FoldedWorld& world) {
  std::vector<FusedSchedule> all;
  for (Rank rank = 0; rank < world.rotation.world(); ++rank) all.push_back(unfold(world, rank));
  return all;
}

}  // namespace rondo::schedule
