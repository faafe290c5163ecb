// Weighted direct all-reduce: the direct all-reduce where ranks with a slow link own less of the
// data, or nothing. In a ring every byte passes through every link, and the slowest link sets the
// pace for all; here a rank that owns nothing sends its input once and receives the result once.
//
// The data is cut into blocks, and each block into one row for each rank, by the shares of
// schedule::owners_shares; blocks make results travel while contributions still do.
//
// Phase 1, for each block: every rank sends row k of its input to rank k.
// Phase 2, for each block: the owner combines all contributions to its row in rank order and sends
// the result to all.
// Phase 3, for each block: every rank receives the other owners' results. Before that it begins
// phase 1 of the next block, so that its link is busy while it waits.
//
// Cost: (blocks + 1) alpha + max over ranks of (1 + (p-2) f) / s * bytes * beta, where a rank owns
// the part f and its link has the speed s (1: the fastest). With equal links that is the direct
// all-reduce's. Source: direct_all_reduce.cc; shares by water-filling, owners_shares().

#include "collectives/algorithms/weighted_direct_all_reduce.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "collectives/algorithms/direct_all_reduce.h"
#include "collectives/algorithms/rank_order_reduce.h"

namespace rondo::algorithms {

using schedule::BufferRole;
using schedule::Rank;
using schedule::Slice;

namespace {

/// What fast ranks still exchange when the slowest is done is one block's: the more ranks there
/// are, the smaller their rows, and messages, are without blocks.
std::size_t most_blocks(int world) {
  return std::clamp<std::size_t>(64 / static_cast<std::size_t>(world), 2, 8);
}
/// Elements of a block below which another block costs more than it hides.
constexpr std::size_t kLeastBlock = std::size_t{64} * 1024;
/// Rows begin on a cache line where the data does.
constexpr std::size_t kUnit = 64;

class WeightedDirect {
 public:
  explicit WeightedDirect(const schedule::Request& request)
      : request_(request),
        builder_(request),
        blocks_(request.rows / static_cast<std::uint32_t>(request.world)) {}

  schedule::RankSchedule build() && {
    contribute(0);
    for (std::uint32_t block = 0; block < blocks_; ++block) {
      combine(block);
      if (block + 1 < blocks_) contribute(block + 1);
      collect(block);
    }
    return std::move(builder_).finish();
  }

 private:
  std::uint32_t row(std::uint32_t block, Rank owner) const {
    return block * static_cast<std::uint32_t>(request_.world) + static_cast<std::uint32_t>(owner);
  }
  Rank peer(int index) const { return direct_peer(request_.rank, index, request_.world); }

  void contribute(std::uint32_t block) {
    for (int index = 0; index < request_.world - 1; ++index) {
      builder_.send(peer(index), {BufferRole::kInput, row(block, peer(index))});
    }
  }
  void combine(std::uint32_t block) {
    const std::uint32_t own = row(block, request_.rank);
    const Slice result{BufferRole::kOutput, own};
    rank_order_reduce(builder_, request_, own, result);
    for (int index = 0; index < request_.world - 1; ++index) builder_.send(peer(index), result);
  }
  void collect(std::uint32_t block) {
    for (int index = 0; index < request_.world - 1; ++index) {
      builder_.recv(peer(index), {BufferRole::kOutput, row(block, peer(index))});
    }
  }

  const schedule::Request& request_;
  schedule::Builder builder_;
  std::uint32_t blocks_;
};

}  // namespace

std::uint32_t weighted_direct_rows(const schedule::Request& request, std::size_t count) {
  if (request.world == 1) return 1;
  const std::size_t blocks =
      std::clamp<std::size_t>(count / kLeastBlock, 1, most_blocks(request.world));
  return static_cast<std::uint32_t>(request.world) * static_cast<std::uint32_t>(blocks);
}

std::vector<std::size_t> weighted_direct_counts(const schedule::Request& request,
                                                std::size_t count) {
  const auto world = static_cast<std::size_t>(request.world);
  const std::size_t blocks = request.rows / world;
  std::vector<double> shares(world, 1.0 / static_cast<double>(world));
  const schedule::SharedLayout layout = schedule::layout_of(request);
  if (layout->links() != nullptr) shares = schedule::owners_shares(*layout->links());
  std::vector<std::size_t> counts;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t all = count / blocks + (block < count % blocks ? 1 : 0);
    double before = 0;
    std::size_t begin = 0;
    for (std::size_t owner = 0; owner < world; ++owner) {
      before += shares[owner];
      const auto exact = static_cast<std::size_t>(std::llround(before * static_cast<double>(all)));
      const std::size_t end = owner + 1 == world ? all : std::min(all, exact / kUnit * kUnit);
      counts.push_back(end - begin);
      begin = end;
    }
  }
  return counts;
}

schedule::RankSchedule weighted_direct_all_reduce(const schedule::Request& request) {
  if (request.world > 1) return WeightedDirect(request).build();
  schedule::Builder builder(request);
  builder.copy({BufferRole::kInput, 0}, {BufferRole::kOutput, 0});
  return std::move(builder).finish();
}

}  // namespace rondo::algorithms
