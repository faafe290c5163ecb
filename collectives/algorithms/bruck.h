#pragma once

// What Bruck's algorithms and parallel aggregated trees have in common, in which ranks talk over
// distances that are powers of two, and in a step send many rows to one rank: index arithmetic, and
// how many rows go out before others are waited for.

#include <algorithm>
#include <span>

#include "collectives/schedule/host_layout.h"
#include "collectives/schedule/op.h"
#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// The rank `distance` further on the ring, or back; 0 <= distance <= world.
inline schedule::Rank bruck_after(schedule::Rank rank, int distance, int world) {
  return (rank + distance) % world;
}
inline schedule::Rank bruck_before(schedule::Rank rank, int distance, int world) {
  return (rank + world - distance) % world;
}

/// All-to-all: what is to move by `distance` moves first by its lowest bit, then by the next. How
/// far it has come before the step of `bit`.
inline int bruck_moved(int distance, int bit) { return distance & (bit - 1); }
/// Whether the step of `bit` is the last that moves it.
inline bool bruck_arrives(int distance, int bit) { return distance < 2 * bit; }

/// Rows of a step that a rank sends before it waits for as many; no channel holds more. Where each
/// rank has a host of its own, all of most worlds' steps, so that a step takes the time of one
/// message. Where some share memory two: ranks that send short rows there do so one after the
/// other, without a queue, and mustn't wait for each other's room in a ring.
inline std::size_t rows_at_once(const schedule::HostLayout& layout) {
  constexpr std::size_t kOverNetworks = 32;
  constexpr std::size_t kInMemory = 2;
  return layout.hosts() < layout.world() ? kInMemory : kOverNetworks;
}

/// The rows of one step: `send` and `receive` are called with each of `rows`, in their order.
template <class Send, class Receive>
void exchange_rows(const schedule::Request& request, std::span<const int> rows, const Send& send,
                   const Receive& receive) {
  const std::size_t at_once = rows_at_once(*schedule::layout_of(request));
  while (!rows.empty()) {
    const std::span<const int> next = rows.first(std::min(at_once, rows.size()));
    for (const int row : next) send(row);
    for (const int row : next) receive(row);
    rows = rows.subspan(next.size());
  }
}

}  // namespace rondo::algorithms
