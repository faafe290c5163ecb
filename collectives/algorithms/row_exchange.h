#pragma once

// Steps in which a rank sends many rows to one rank, each a message, and receives as many: how many
// go out before others are waited for. Were it one, a step of n rows would take as long as n steps.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "collectives/schedule/host_layout.h"
#include "collectives/schedule/rank_schedule.h"

namespace rondo::algorithms {

/// Rows of a step that a rank sends before it waits for as many. Where each rank has a host of its
/// own, all of most worlds' steps, so that a step takes the time of one message. Where some share
/// memory two: ranks that send short rows there do so one after the other, without a queue, and
/// mustn't wait for each other's room in a ring; with two, a channel needs to hold no more than
/// two.
inline constexpr int kRowsOverNetworks = 32;
inline constexpr int kRowsInMemory = 2;
inline std::size_t rows_at_once(const schedule::HostLayout& layout) {
  return layout.hosts() < layout.world() ? kRowsInMemory : kRowsOverNetworks;
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

/// The same for rows 0 to `count` - 1.
template <class Send, class Receive>
void exchange_rows(const schedule::Request& request, std::size_t count, const Send& send,
                   const Receive& receive) {
  std::vector<int> rows(count);
  std::iota(rows.begin(), rows.end(), 0);
  exchange_rows(request, std::span<const int>(rows), send, receive);
}

}  // namespace rondo::algorithms
