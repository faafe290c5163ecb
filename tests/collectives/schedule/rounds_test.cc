// Rounds played as a library of messages plays groups: a message is exchanged, at any moment, while
// both of its ranks are in the group that has it, and a rank goes on when all of its group's are.

#include "collectives/schedule/rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <tuple>

#include "collectives/algorithms/registry.h"
#include "collectives/schedule/fuse.h"

namespace rondo::schedule {
namespace {

using algorithms::Algorithm;

/// What rank `rank` has in `row` of its input; sums of different ranks differ.
double input_of(Rank rank, std::uint32_t row) { return 1.5 + rank * 37.25 + row * 1009.125; }

class Player {
 public:
  Player(std::vector<FusedSchedule> world, std::uint64_t seed)
      : world_(std::move(world)), random_(seed), memory_(world_.size()), staged_(world_.size()) {
    for (std::size_t rank = 0; rank < world_.size(); ++rank) {
      const RowRange rows = input_rows(world_[rank].request);
      for (std::uint32_t i = 0; i < rows.count; ++i)
        slice_of(rank, {BufferRole::kInput, rows.row(i)}) =
            input_of(static_cast<Rank>(rank), rows.row(i));
      auto rounds = rounds_of(world_, static_cast<Rank>(rank));
      EXPECT_TRUE(rounds.ok()) << rounds.status().to_string();
      rounds_.push_back(rounds.ok() ? std::move(rounds).value() : std::vector<Round>());
    }
    round_.resize(world_.size());
    begun_.resize(world_.size());
    received_.resize(world_.size());
  }

  /// False where all wait for each other.
  bool play() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < world_.size(); ++rank) moved |= go_on(rank);
      moved |= exchange_one();
    }
    for (std::size_t rank = 0; rank < world_.size(); ++rank)
      if (round_[rank] != rounds_[rank].size()) return false;
    return true;
  }
  double output(std::size_t rank, std::uint32_t row) {
    return slice_of(rank, {BufferRole::kOutput, row});
  }
  std::size_t rounds(std::size_t rank) const { return rounds_[rank].size(); }

 private:
  struct Pending {
    RoundMessage sent;
    RoundMessage received;
  };
  using SourceKey = std::tuple<std::uint16_t, std::uint32_t, std::uint32_t>;

  double& slice_of(std::size_t rank, Slice slice) {
    return memory_[rank][{static_cast<int>(slice.buffer), slice.chunk}];
  }
  const Sweep& sweep_of(std::size_t rank, std::uint16_t lane, std::uint32_t sweep) const {
    return world_[rank].lanes[lane][sweep];
  }

  void combine(std::size_t rank, const RoundSweep& at) {
    const Sweep& sweep = sweep_of(rank, at.lane, at.sweep);
    const auto sources = sources_of(world_[rank], sweep);
    double sum = 0;
    for (std::uint32_t i = 0; i < sources.size(); ++i) {
      sum += sources[i].is_channel() ? received_[rank].at({at.lane, at.sweep, i})
                                     : slice_of(rank, sources[i].slice);
    }
    staged_[rank][{at.lane, at.sweep}] = sum;
    for (const Port& target : targets_of(world_[rank], sweep))
      if (!target.is_channel()) slice_of(rank, target.slice) = sum;
  }

  /// What is sent lies in the sweep's memory, and is read only when its message goes.
  double payload(std::size_t rank, const RoundMessage& message) {
    const Sweep& sweep = sweep_of(rank, message.lane, message.sweep);
    for (const Port& target : targets_of(world_[rank], sweep))
      if (!target.is_channel()) return slice_of(rank, target.slice);
    const auto sources = sources_of(world_[rank], sweep);
    if (sources.size() == 1 && !sources[0].is_channel()) return slice_of(rank, sources[0].slice);
    return staged_[rank].at({message.lane, message.sweep});
  }

  /// Into the sweep's memory at once where it has nothing else to combine it with.
  void deliver(std::size_t rank, const RoundMessage& message, double value) {
    received_[rank][{message.lane, message.sweep, message.port}] = value;
    const Sweep& sweep = sweep_of(rank, message.lane, message.sweep);
    if (sources_of(world_[rank], sweep).size() > 1) return;
    for (const Port& target : targets_of(world_[rank], sweep)) {
      if (target.is_channel()) continue;
      slice_of(rank, target.slice) = value;
      return;
    }
  }

  /// Begins the rank's group, or ends it.
  bool go_on(std::size_t rank) {
    if (round_[rank] == rounds_[rank].size()) return false;
    Round& round = rounds_[rank][round_[rank]];
    if (begun_[rank] == 0) {
      for (const RoundSweep& sweep : round.sweeps) combine(rank, sweep);
      begun_[rank] = 1;
      return true;
    }
    if (!round.sends.empty() || !round.receives.empty()) return false;
    ++round_[rank];
    begun_[rank] = 0;
    return true;
  }

  /// The first message from `from` to `to` that both have in their groups.
  bool exchange(std::size_t from, std::size_t to) {
    if (begun_[from] == 0 || begun_[to] == 0) return false;
    auto& sends = rounds_[from][round_[from]].sends;
    auto& receives = rounds_[to][round_[to]].receives;
    const auto by = [](auto& list, std::size_t peer) {
      return std::ranges::find(list, static_cast<Rank>(peer), &RoundMessage::peer);
    };
    const auto sent = by(sends, to);
    const auto received = by(receives, from);
    if (sent == sends.end() || received == receives.end()) return false;
    EXPECT_EQ(sent->lane, received->lane);
    deliver(to, *received, payload(from, *sent));
    sends.erase(sent);
    receives.erase(received);
    return true;
  }

  bool exchange_one() {
    std::vector<std::size_t> pairs(world_.size() * world_.size());
    std::iota(pairs.begin(), pairs.end(), 0U);
    std::ranges::shuffle(pairs, random_);
    return std::ranges::any_of(pairs, [this](std::size_t pair) {
      return exchange(pair / world_.size(), pair % world_.size());
    });
  }

  std::vector<FusedSchedule> world_;
  std::mt19937_64 random_;
  std::vector<std::map<std::pair<int, std::uint32_t>, double>> memory_;
  std::vector<std::map<std::pair<std::uint16_t, std::uint32_t>, double>> staged_;
  std::vector<std::map<SourceKey, double>> received_;
  std::vector<std::vector<Round>> rounds_;
  std::vector<std::size_t> round_;
  std::vector<char> begun_;
};

/// Where `row` of `rank`'s output comes from.
double expected(const Request& request, std::uint32_t row) {
  const auto world = static_cast<std::uint32_t>(request.world);
  double sum = 0;
  switch (request.collective) {
    case Collective::kAllReduce:
    case Collective::kReduce:
    case Collective::kReduceScatter:
      for (Rank rank = 0; rank < request.world; ++rank) sum += input_of(rank, row);
      return sum;
    case Collective::kBroadcast:
    case Collective::kScatter: return input_of(request.root, row);
    case Collective::kAllGather:
    case Collective::kGather: return input_of(static_cast<Rank>(row / (request.rows / world)), row);
    case Collective::kAllToAll: return input_of(static_cast<Rank>(row / world), row);
    case Collective::kBarrier: return 0;
  }
  return 0;
}

Request request_of(const Algorithm& algorithm, int world, int rank) {
  Request request;
  request.collective = algorithm.collective;
  request.world = world;
  request.rank = rank;
  request.root = has_root(algorithm.collective) ? world - 1 : 0;
  request.rows = algorithm.rows(request, 1000);
  return request;
}

void check(const Algorithm& algorithm, int world, bool fused, std::uint64_t seed) {
  SCOPED_TRACE(std::string(to_string(algorithm.collective)) + " by " + std::string(algorithm.name) +
               ", " + std::to_string(world) + " ranks");
  const auto build = [&](Rank rank) { return algorithm.build(request_of(algorithm, world, rank)); };
  Player player(unfold(fused ? fuse_folded(build) : lower_folded(build)), seed);
  ASSERT_TRUE(player.play()) << "all ranks wait for each other";
  if (algorithm.collective == Collective::kBarrier) return;  // which has nothing
  for (int rank = 0; rank < world; ++rank) {
    const Request request = request_of(algorithm, world, rank);
    const RowRange rows = output_rows(request);
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      ASSERT_NEAR(player.output(static_cast<std::size_t>(rank), rows.row(i)),
                  expected(request, rows.row(i)), 1e-6)
          << "rank " << rank << ", row " << rows.row(i);
    }
  }
}

TEST(Rounds, EveryAlgorithm_EndsWithWhatItsCollectiveMeans) {
  for (const Algorithm& algorithm : algorithms::all()) {
    for (const int world : {1, 2, 3, 4, 5, 7, 8, 13, 16}) {
      check(algorithm, world, true, static_cast<std::uint64_t>(world));
      check(algorithm, world, false, 7);
    }
  }
}

TEST(Rounds, Ring_HasOneForEachStep) {
  const Algorithm& ring = *algorithms::find(Collective::kAllReduce, "ring");
  const auto build = [&](Rank rank) { return ring.build(request_of(ring, 5, rank)); };
  const Player player(unfold(fuse_folded(build)), 0);
  EXPECT_EQ(player.rounds(2), 2U * 4 + 1) << "and what follows the last message";
}

TEST(Rounds, MessageThatNobodySends_IsAnErrorThatNamesTheLane) {
  const auto build = [](Rank rank) {
    Builder b({.world = 2, .rank = rank});
    if (rank == 1) b.recv(0, {BufferRole::kOutput, 0});
    return std::move(b).finish();
  };
  const std::vector<FusedSchedule> world{lower(build(0)), lower(build(1))};
  const auto rounds = rounds_of(world, 0);
  ASSERT_FALSE(rounds.ok());
  EXPECT_NE(rounds.status().message().find("lane 0 of rank 1 stands still at sweep 0"),
            std::string::npos)
      << rounds.status().to_string();
}

/// Rank 0 overwrites what rank 2 is still to read once rank 1 has consumed another message: that is
/// safe only because rank 1's sweep also needs what rank 2 sends after it has read.
TEST(Rounds, LaneThatWaits_WaitsForTheWholeSweepOfWhoReads) {
  const auto build = [](Rank rank) {
    Builder b({.world = 4, .rank = rank});
    const Slice input{BufferRole::kInput, 0};
    const Slice output{BufferRole::kOutput, 0};
    const Slice kept = b.scratch(0);
    if (rank == 0) {
      b.copy(input, kept);
      b.send(2, kept);
      b.send(1, kept);
      b.wait(0, 2, 1);
      b.reduce(kept, input, kept, false, 1);
    } else if (rank == 1) {
      b.recv_reduce(2, input, kept, false);
      b.recv_reduce(0, kept, output, false);
    } else if (rank == 2) {
      b.recv(3, kept);
      b.recv(0, output);
      b.send(1, output);
    } else {
      b.send(2, input);
    }
    return std::move(b).finish();
  };
  std::vector<RankSchedule> ops;
  for (Rank rank = 0; rank < 4; ++rank) ops.push_back(build(rank));
  std::vector<FusedSchedule> world = fuse_world(ops);
  world[0] = lower(ops[0]);  // whose two messages are two sweeps
  ASSERT_EQ(world[1].lanes[0][0].source_count, 3U) << "fused into one sweep";
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Player player(world, seed);
    ASSERT_TRUE(player.play());
    EXPECT_EQ(player.output(2, 0), input_of(0, 0));
    EXPECT_EQ(player.output(1, 0), input_of(1, 0) + 2 * input_of(0, 0));
  }
}

TEST(Rounds, LaneThatWaits_GoesOnOnceWhatItWaitsForHasBeenRead) {
  // Lane 1 of rank 0 sends what it has only after lane 0's message has been read.
  const auto build = [](Rank rank) {
    Builder b({.world = 2, .rank = rank});
    if (rank == 0) {
      b.send(1, {BufferRole::kInput, 0}, 0);
      b.wait(0, 0, 1);
      b.send(1, {BufferRole::kInput, 0}, 1);
    } else {
      b.recv(0, {BufferRole::kOutput, 0}, 0);
      b.recv(0, {BufferRole::kOutput, 0}, 1);
    }
    return std::move(b).finish();
  };
  const std::vector<FusedSchedule> world{lower(build(0)), lower(build(1))};
  const auto rounds = rounds_of(world, 1);
  ASSERT_TRUE(rounds.ok()) << rounds.status().to_string();
  ASSERT_EQ(rounds->size(), 3U);
  EXPECT_EQ((*rounds)[0].receives.at(0).lane, 0);
  EXPECT_EQ((*rounds)[1].receives.at(0).lane, 1);
}

}  // namespace
}  // namespace rondo::schedule
