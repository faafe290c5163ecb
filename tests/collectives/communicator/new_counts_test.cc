// Calls whose counts, roots and collectives are others each time: each has its own results,
// whatever the schedule of the ones before it that is used again.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using Counts = std::vector<std::size_t>;

/// Elements from one rank to another: 0 to 1'998, another number for each of as many turns; many
/// times as much in some, which goes another way.
std::size_t part(int from, int to, int turn) {
  const std::size_t few = static_cast<std::size_t>(7 * from + 13 * to + 29 * turn) * 37 % 1'999;
  return turn % 16 == 11 ? 30 * few : few;
}

/// The elements of such a part; sums of few of them are exact.
void append(std::vector<float>& list, int from, int to, std::size_t count) {
  const auto first = static_cast<float>(from * 100'000 + to * 10'000);
  for (std::size_t i = 0; i < count; ++i) list.push_back(first + static_cast<float>(i % 5'000));
}

std::vector<float> part_of(int from, int to, std::size_t count) {
  std::vector<float> list;
  append(list, from, to, count);
  return list;
}

void exchange_all(Communicator& rank, int turn) {
  Counts sent;
  Counts received;
  std::vector<float> input;
  std::vector<float> expected;
  for (int peer = 0; peer < rank.size(); ++peer) {
    sent.push_back(part(rank.rank(), peer, turn));
    received.push_back(part(peer, rank.rank(), turn));
    append(input, rank.rank(), peer, sent.back());
    append(expected, peer, rank.rank(), received.back());
  }
  std::vector<float> output(expected.size(), -1);
  rank.all_to_all_v(ConstBuffer(input.data(), input.size()), sent,
                    Buffer(output.data(), output.size()), received);
  EXPECT_EQ(output, expected) << "turn " << turn;
}

void gather_all(Communicator& rank, int turn) {
  Counts counts;
  std::vector<float> expected;
  for (int peer = 0; peer < rank.size(); ++peer) {
    counts.push_back(part(peer, 0, turn));
    append(expected, peer, 0, counts.back());
  }
  const std::vector<float> input =
      part_of(rank.rank(), 0, counts[static_cast<std::size_t>(rank.rank())]);
  std::vector<float> output(expected.size(), -1);
  rank.all_gather_v(ConstBuffer(input.data(), input.size()), Buffer(output.data(), output.size()),
                    counts);
  EXPECT_EQ(output, expected) << "turn " << turn;
}

void send_to_all(Communicator& rank, int turn) {
  const int root = turn % rank.size();
  const std::vector<float> expected = part_of(root, turn % 7, part(0, 0, turn) + 1);
  std::vector<float> data(expected.size(), -1);
  if (rank.rank() == root) data = expected;
  rank.broadcast(Buffer(data.data(), data.size()), root);
  EXPECT_EQ(data, expected) << "turn " << turn;
}

void sum_all(Communicator& rank, int turn) {
  const std::size_t count = 3 * part(0, 0, turn) + 1;
  std::vector<float> data = part_of(rank.rank(), 0, count);
  std::vector<float> expected(count, 0);
  for (int peer = 0; peer < rank.size(); ++peer)
    std::ranges::transform(expected, part_of(peer, 0, count), expected.begin(), std::plus<float>());
  rank.all_reduce(Buffer(data.data(), data.size()));
  EXPECT_EQ(data, expected) << "turn " << turn;
}

/// A root's parts, to all ranks and back from them.
void scatter_and_gather(Communicator& rank, int turn) {
  const int root = turn % 2;
  Counts counts;
  std::vector<float> all;
  for (int peer = 0; peer < rank.size(); ++peer) {
    counts.push_back(part(root, peer, turn));
    append(all, root, peer, counts.back());
  }
  const std::size_t own = counts[static_cast<std::size_t>(rank.rank())];
  std::vector<float> output(own, -1);
  rank.scatter_v(ConstBuffer(all.data(), all.size()), Buffer(output.data(), own), counts, root);
  EXPECT_EQ(output, part_of(root, rank.rank(), own)) << "turn " << turn;
  std::vector<float> gathered(all.size(), -1);
  rank.gather_v(ConstBuffer(output.data(), own), Buffer(gathered.data(), gathered.size()), counts,
                root);
  EXPECT_TRUE(rank.rank() != root || gathered == all) << "turn " << turn;
}

void sum_and_scatter(Communicator& rank, int turn) {
  Counts counts;
  std::size_t total = 0;
  for (int peer = 0; peer < rank.size(); ++peer) total += counts.emplace_back(part(peer, 1, turn));
  const std::vector<float> input = part_of(rank.rank(), 0, total);
  std::vector<float> sums(total, 0);
  for (int peer = 0; peer < rank.size(); ++peer)
    std::ranges::transform(sums, part_of(peer, 0, total), sums.begin(), std::plus<float>());
  const auto own = static_cast<std::size_t>(rank.rank());
  const auto before = std::accumulate(counts.begin(), counts.begin() + rank.rank(), std::size_t{0});
  std::vector<float> output(counts[own], -1);
  rank.reduce_scatter_v(ConstBuffer(input.data(), total), Buffer(output.data(), output.size()),
                        counts);
  EXPECT_TRUE(std::ranges::equal(output, std::span(sums).subspan(before, output.size())))
      << "turn " << turn;
}

/// One all_to_all_v that is under way.
struct Started {
  Started(Communicator& rank, int turn) {
    for (int peer = 0; peer < rank.size(); ++peer) {
      sent.push_back(part(rank.rank(), peer, turn));
      received.push_back(part(peer, rank.rank(), turn));
      append(input, rank.rank(), peer, sent.back());
      append(expected, peer, rank.rank(), received.back());
    }
    output.assign(expected.size(), -1);
    work = rank.start(Call::all_to_all_v(ConstBuffer(input.data(), input.size()), sent,
                                         Buffer(output.data(), output.size()), received));
  }

  Counts sent;
  Counts received;
  std::vector<float> input;
  std::vector<float> expected;
  std::vector<float> output;
  Work work;
};

TEST(NewCounts, EachCall_HasItsOwnResults) {
  for (const char* transport : {"inproc", "shm", "tcp"}) {
    for (const char* algorithm :
         {"auto", "ring", "direct", "pairwise", "tree", "halving_doubling"}) {
      SCOPED_TRACE(std::string(algorithm) + " over " + transport);
      spawn({.size = 3, .transport = transport, .algorithm = algorithm}, [](Communicator& rank) {
        // Of each kind alone, too: only then is a plan that has to go one of the next call's kind.
        const auto kinds = {exchange_all, gather_all,         send_to_all,
                            sum_all,      scatter_and_gather, sum_and_scatter};
        for (const auto& call : kinds)
          for (int turn = 0; turn < 24; ++turn) call(rank, turn);
        for (int turn = 24; turn < 40; ++turn)
          for (const auto& call : kinds) call(rank, turn);
      });
    }
  }
}

/// More sizes than plans are kept of even calls.
TEST(NewCounts, MoreOfThemThanPlansAreKept_EachHasItsOwnResults) {
  for (const char* transport : {"inproc", "tcp"}) {
    SCOPED_TRACE(transport);
    spawn({.size = 3, .transport = transport}, [](Communicator& rank) {
      for (int turn = 0; turn < 700; ++turn) {
        sum_all(rank, turn);
        if (turn % 50 == 0) sum_all(rank, turn / 2);
      }
    });
  }
}

/// So many at a time.
void start_calls(Communicator& rank, std::size_t at_a_time) {
  std::deque<Started> started;
  for (int turn = 0; turn < 60; ++turn) {
    started.emplace_back(rank, turn);
    if (started.size() < at_a_time) continue;
    started.front().work.wait();
    EXPECT_EQ(started.front().output, started.front().expected) << "turn " << turn;
    started.pop_front();
  }
  for (Started& call : started) {
    call.work.wait();
    EXPECT_EQ(call.output, call.expected);
  }
}

TEST(NewCounts, CallsThatAreUnderWay_KeepTheirPlans) {
  for (const char* transport : {"inproc", "shm", "tcp"}) {
    SCOPED_TRACE(transport);
    spawn({.size = 3, .transport = transport}, [](Communicator& rank) {
      start_calls(rank, 12);  // more of them than plans are kept
      start_calls(rank, 4);
    });
  }
}

/// Whoever drives ends them, while others are planned.
TEST(NewCounts, CallsThatNobodyWaitsFor_KeepTheirPlans) {
  for (const char* transport : {"inproc", "shm", "tcp"}) {
    SCOPED_TRACE(transport);
    spawn({.size = 3, .transport = transport}, [](Communicator& rank) {
      std::deque<Started> started;
      for (int turn = 0; turn < 200; ++turn) {
        started.emplace_back(rank, turn);
        started.back().work = {};
      }
      rank.barrier();
      for (const Started& call : started) EXPECT_EQ(call.output, call.expected);
    });
  }
}

TEST(NewCounts, WhatIsPrepared_StaysWhatItIs) {
  spawn({.size = 3, .transport = "shm"}, [](Communicator& rank) {
    std::vector<float> data(501);
    Prepared prepared = rank.prepare(Call::all_reduce(Buffer(data.data(), data.size())));
    for (int turn = 0; turn < 300; ++turn) {
      sum_all(rank, turn);
      std::ranges::copy(part_of(rank.rank(), 0, data.size()), data.begin());
      prepared.run();
      EXPECT_EQ(data[3], 3 * 100'000 + 3 * 3) << "turn " << turn;
    }
  });
}

}  // namespace
}  // namespace rondo::testing
