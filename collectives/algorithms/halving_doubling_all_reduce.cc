// Recursive halving and doubling all-reduce (Rabenseifner's): the bytes of the ring in 2 log2 p
// steps. Between hosts, from middling sizes on.
//
// The data is cut into as many rows as ranks take part.
// Phase 1: in a world that is no power of two, guests give their input to their hosts.
// Phase 2: halving. In each step ranks whose numbers differ in one bit (the highest first) divide
// the rows they both still collect: each sends the half that the other keeps, and adds what it
// gets to the half that it keeps. At the end each rank has one row complete.
// Phase 3: doubling. The same pairs in reverse order exchange all the complete rows they have.
// Phase 4: hosts give the result to their guests.
//
// Rows are messages of their own, of which between hosts a step's go out before any is waited for;
// where memory is shared, two at a time (rows_at_once).
//
// Cost: 2 ceil(log2 p) alpha + 2(p-1)/p * bytes * beta + (p-1)/p * bytes * gamma; guests add
// 2 (alpha + bytes * beta). Where memory is shared, p alpha.
// Source: R. Rabenseifner, "Optimization of collective reduction operations", ICCS 2004.

#include "collectives/algorithms/halving_doubling_all_reduce.h"

#include <utility>

#include "collectives/algorithms/power_of_two.h"
#include "collectives/algorithms/row_exchange.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::RowRange;
using schedule::Slice;

namespace {

Slice output(std::uint32_t row) { return {BufferRole::kOutput, row}; }

/// The half of `rows` that the side of `bit` keeps.
RowRange half(RowRange rows, bool upper) {
  const std::uint32_t count = rows.count / 2;
  return {rows.begin + (upper ? count : 0), count};
}

class Writer {
 public:
  explicit Writer(const schedule::Request& request)
      : request_(request),
        builder_(request),
        rank_(request.rank),
        ranks_(request.world),
        all_{0, static_cast<std::uint32_t>(ranks_.size())},
        sums_(BufferRole::kInput) {}

  schedule::RankSchedule write() && {
    if (ranks_.is_guest(rank_)) {
      exchange_as_guest();
    } else {
      if (ranks_.is_host(rank_)) take_guests_input();
      halve(all_, ranks_.size() / 2);
      if (ranks_.is_host(rank_)) send(PowerOfTwo::other(rank_), all_, BufferRole::kOutput);
    }
    return std::move(builder_).finish();
  }

 private:
  void send(Rank peer, RowRange rows, BufferRole from) {
    for (std::uint32_t i = 0; i < rows.count; ++i) builder_.send(peer, {from, rows.row(i)});
  }
  void recv_reduce(Rank peer, std::uint32_t row, bool final) {
    builder_.recv_reduce(peer, {sums_, row}, output(row), final);
  }

  void exchange_as_guest() {
    send(PowerOfTwo::other(rank_), all_, BufferRole::kInput);
    for (std::uint32_t row = 0; row < all_.count; ++row) {
      builder_.recv(PowerOfTwo::other(rank_), output(row));
    }
  }
  void take_guests_input() {
    for (std::uint32_t row = 0; row < all_.count; ++row) {
      recv_reduce(PowerOfTwo::other(rank_), row, false);
    }
    sums_ = BufferRole::kOutput;
  }

  /// Completes `rows`, of which this rank and its peer by `bit` both have sums.
  void halve(RowRange rows, int bit) {
    if (bit == 0) return;
    const Rank peer = ranks_.rank(ranks_.number(rank_) ^ bit);
    const bool upper = (ranks_.number(rank_) & bit) != 0;
    const RowRange kept = half(rows, upper);
    const RowRange given = half(rows, !upper);
    exchange(
        kept.count,
        [&](std::uint32_t i) {
          builder_.send(peer, {sums_, given.row(i)});
        },
        [&](std::uint32_t i) { recv_reduce(peer, kept.row(i), bit == 1); });
    sums_ = BufferRole::kOutput;
    halve(kept, bit / 2);
    exchange(
        kept.count, [&](std::uint32_t i) { builder_.send(peer, output(kept.row(i))); },
        [&](std::uint32_t i) { builder_.recv(peer, output(given.row(i))); });
  }
  template <class Send, class Receive>
  void exchange(std::size_t rows, const Send& send, const Receive& receive) {
    exchange_rows(
        request_, rows, [&](int row) { send(static_cast<std::uint32_t>(row)); },
        [&](int row) { receive(static_cast<std::uint32_t>(row)); });
  }

  const schedule::Request& request_;
  schedule::Builder builder_;
  const Rank rank_;
  const PowerOfTwo ranks_;
  const RowRange all_;
  BufferRole sums_;  ///< where this rank's sums so far lie
};

}  // namespace

schedule::RankSchedule halving_doubling_all_reduce(const schedule::Request& request) {
  if (request.world > 1) return Writer(request).write();
  schedule::Builder builder(request);
  builder.copy({BufferRole::kInput, 0}, output(0));
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
