// Calls whose counts, roots and collectives are others each time: each has its own results,
// whatever the schedule of the ones before it that is used again.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tests/collectives/communicator/spawn.h"

namespace rondo::testing {
namespace {

using Counts = std::vector<std::size_t>;

/// Elements from one rank to another: 0 to 2'000.
std::size_t part(int from, int to, int turn) {
  return static_cast<std::size_t>(7 * from + 13 * to + 29 * turn) * 37 % 2'001;
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

TEST(NewCounts, EachCall_HasItsOwnResults) {
  for (const char* transport : {"inproc", "shm", "tcp"}) {
    for (const char* algorithm :
         {"auto", "ring", "direct", "pairwise", "tree", "halving_doubling"}) {
      SCOPED_TRACE(std::string(algorithm) + " over " + transport);
      spawn({.size = 3, .transport = transport, .algorithm = algorithm}, [](Communicator& rank) {
        for (int turn = 0; turn < 24; ++turn) {
          exchange_all(rank, turn);
          gather_all(rank, turn);
          send_to_all(rank, turn);
          sum_all(rank, turn);
        }
      });
    }
  }
}

}  // namespace
}  // namespace rondo::testing
