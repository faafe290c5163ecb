#include "collectives/simulate/survey.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "collectives/simulate/trace_hash.h"

namespace rondo::simulate {
namespace {

using schedule::BufferRole;
using schedule::Op;
using schedule::OpKind;
using schedule::Rank;
using schedule::RankSchedule;
using schedule::Slice;

/// Numbers names by first use, anew for each rank.
class Numbering {
 public:
  explicit Numbering(std::size_t names) : seen_(names), number_(names) {}

  void begin() {
    ++rank_;
    used_ = 0;
  }
  /// The name's number, and whether it is new.
  std::pair<std::uint32_t, bool> of(std::size_t name) {
    const bool is_new = seen_[name] != rank_;
    if (is_new) {
      seen_[name] = rank_;
      number_[name] = used_++;
    }
    return {number_[name], is_new};
  }

 private:
  std::uint32_t rank_ = 0;
  std::uint32_t used_ = 0;
  std::vector<std::uint32_t> seen_;  ///< by the rank of this turn
  std::vector<std::uint32_t> number_;
};

/// Works out shapes, one rank after the other.
class Shaper {
 public:
  Shaper(int world, const schedule::ChunkTable& table)
      : table_(table), ranks_(static_cast<std::size_t>(world)), rows_(table.rows()) {}

  /// Appends whom it names to `peers`.
  std::uint64_t shape(const RankSchedule& own, std::vector<Rank>& peers) {
    ranks_.begin();
    rows_.begin();
    hash_ = {};
    for (const auto& lane : own.lanes) {
      hash_.add(std::uint64_t{lane.size()});
      for (const Op& op : lane) add(op, peers);
    }
    for (const std::uint32_t row : own.scratch_rows) add_row(row);
    return hash_.bits();
  }

 private:
  void add(const Op& op, std::vector<Rank>& peers) {
    hash_.add((static_cast<std::uint64_t>(op.kind) << 1U) | (op.final ? 1U : 0U));
    if (op.kind == OpKind::kWait) {
      hash_.add((std::uint64_t{op.wait.lane} << 32U) | op.wait.op);
      return;
    }
    if (op.kind == OpKind::kSend || op.kind == OpKind::kRecv || op.kind == OpKind::kRecvReduce)
      add_peer(op.peer, peers);
    if (op.kind != OpKind::kRecv) add_slice(op.source);
    if (op.kind == OpKind::kReduce) add_slice(op.other);
    if (op.kind != OpKind::kSend) add_slice(op.target);
  }

  void add_peer(Rank peer, std::vector<Rank>& peers) {
    const auto [number, is_new] = ranks_.of(static_cast<std::size_t>(peer));
    if (is_new) peers.push_back(peer);
    hash_.add(std::uint64_t{number});
  }

  void add_slice(Slice slice) {
    hash_.add(static_cast<std::uint64_t>(slice.buffer));
    if (slice.buffer == BufferRole::kScratch) {
      hash_.add(std::uint64_t{slice.chunk});
    } else {
      add_row(slice.chunk);
    }
  }

  void add_row(std::uint32_t row) {
    const auto [number, is_new] = rows_.of(row);
    hash_.add(std::uint64_t{number});
    if (is_new) hash_.add(std::uint64_t{table_.count(row)});
  }

  const schedule::ChunkTable& table_;
  Numbering ranks_;
  Numbering rows_;
  TraceHash hash_;
};

}  // namespace

Survey::Survey(schedule::BuildSchedule build, int world, const schedule::ChunkTable& table)
    : build_(std::move(build)), rows_(table.rows()) {
  Shaper shaper(world, table);
  for (Rank rank = 0; rank < world; ++rank) {
    first_pair_.push_back(pairs());
    const RankSchedule own = build_(rank);
    collective_ = own.request.collective;
    shapes_.push_back(shaper.shape(own, peers_));
    for (const auto& lane : own.lanes) {
      ops_ += lane.size();
      has_waits_ = has_waits_ ||
                   std::ranges::any_of(lane, [](const Op& op) { return op.kind == OpKind::kWait; });
    }
  }
  first_pair_.push_back(pairs());
  turn_pairs();
}

void Survey::turn_pairs() {
  by_peer_.resize(peers_.size());
  std::iota(by_peer_.begin(), by_peer_.end(), 0U);
  for (Rank rank = 0; rank < world(); ++rank) {
    std::sort(by_peer_.begin() + first_pair(rank), by_peer_.begin() + first_pair(rank + 1),
              [this](std::uint32_t a, std::uint32_t b) { return peers_[a] < peers_[b]; });
  }
  turned_.resize(peers_.size());
  for (Rank rank = 0; rank < world(); ++rank) {
    for (std::uint32_t pair = first_pair(rank); pair < first_pair(rank + 1); ++pair) {
      turned_[pair] = pair_of(peers_[pair], rank);
      is_mutual_ = is_mutual_ && turned_[pair] < pairs();
    }
  }
}

std::uint32_t Survey::pair_of(Rank rank, Rank peer) const {
  const auto end = by_peer_.begin() + first_pair(rank + 1);
  const auto found =
      std::lower_bound(by_peer_.begin() + first_pair(rank), end, peer,
                       [this](std::uint32_t pair, Rank wanted) { return peers_[pair] < wanted; });
  return found != end && peers_[*found] == peer ? *found : pairs();
}

}  // namespace rondo::simulate
