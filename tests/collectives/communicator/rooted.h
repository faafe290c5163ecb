#pragma once

// One setting of each collective that has a root, and of all_to_all: different values on every
// rank, every root by the count. Header, since a setting's type is a template argument.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/collectives/communicator/grid.h"
#include "tests/collectives/communicator/memory.h"
#include "tests/collectives/communicator/values.h"

namespace rondo::testing {

inline int root_of(const Setting& s) { return static_cast<int>(s.count + 1) % s.world; }

template <typename T>
void reduce_once(Communicator& rank, const Setting& s, const std::string& text) {
  const bool is_root = rank.rank() == root_of(s);
  Memory<T> input(rank.device(), s.count, s.registered);
  Memory<T> output(rank.device(), s.count, s.registered);
  const auto mine = values<T>(rank.rank(), s.count, s.op);
  input.write(0, mine);
  Memory<T>& target = s.in_place ? input : output;
  // Away from the root any output will do, none at all too.
  const Buffer result = is_root ? target.buffer(0, s.count) : Buffer{};
  rank.reduce(input.buffer(0, s.count), result, root_of(s), s.op);
  if (!is_root || !s.in_place) {
    EXPECT_TRUE(input.read(0, s.count) == mine) << "input was written to: " << text;
  }
  if (!is_root) return;
  const auto sums = target.read(0, s.count);
  EXPECT_EQ(first_wrong(sums.data(), s.count, s.world, s.op, 0), -1) << "reduce, " << text;
}

template <typename T>
void gather_once(Communicator& rank, const Setting& s, const std::string& text) {
  const auto world = static_cast<std::size_t>(s.world);
  const bool is_root = rank.rank() == root_of(s);
  const std::size_t first = is_root ? s.count * static_cast<std::size_t>(rank.rank()) : 0;
  Memory<T> input(rank.device(), s.count, s.registered);
  Memory<T> output(rank.device(), is_root ? s.count * world : 0, s.registered);
  const auto mine = values<T>(rank.rank(), s.count, s.op);
  const bool in_place = s.in_place && is_root;
  in_place ? output.write(first, mine) : input.write(0, mine);
  const Buffer from = in_place ? output.buffer(first, s.count) : input.buffer(0, s.count);
  rank.gather(from, is_root ? output.buffer(0, s.count * world) : Buffer{}, root_of(s));
  for (std::size_t peer = 0; is_root && peer < world; ++peer) {
    EXPECT_TRUE(output.read(peer * s.count, s.count) ==
                values<T>(static_cast<int>(peer), s.count, s.op))
        << "gather, part " << peer << " at " << text;
  }
}

template <typename T>
void scatter_once(Communicator& rank, const Setting& s, const std::string& text) {
  const std::size_t total = s.count * static_cast<std::size_t>(s.world);
  const std::size_t first = s.count * static_cast<std::size_t>(rank.rank());
  const bool is_root = rank.rank() == root_of(s);
  Memory<T> input(rank.device(), is_root ? total : 0, s.registered);
  Memory<T> output(rank.device(), s.count, s.registered);
  const auto whole = values<T>(root_of(s), total, s.op);
  if (is_root) input.write(0, whole);
  const bool in_place = s.in_place && is_root;
  const Buffer target = in_place ? input.buffer(first, s.count) : output.buffer(0, s.count);
  rank.scatter(is_root ? input.buffer(0, total) : Buffer{}, target, root_of(s));
  const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(first);
  const auto want = std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(s.count));
  EXPECT_TRUE((in_place ? input.read(first, s.count) : output.read(0, s.count)) == want)
      << "scatter, " << text;
}

template <typename T>
void all_to_all_once(Communicator& rank, const Setting& s, const std::string& text) {
  const auto world = static_cast<std::size_t>(s.world);
  const std::size_t first = s.count * static_cast<std::size_t>(rank.rank());
  Memory<T> input(rank.device(), s.count * world, s.registered);
  Memory<T> output(rank.device(), s.count * world, s.registered);
  input.write(0, values<T>(rank.rank(), s.count * world, s.op));
  rank.all_to_all(input.buffer(0, s.count * world), output.buffer(0, s.count * world));
  for (std::size_t peer = 0; peer < world; ++peer) {
    const auto whole = values<T>(static_cast<int>(peer), s.count * world, s.op);
    const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(first);
    EXPECT_TRUE(output.read(peer * s.count, s.count) ==
                std::vector<T>(begin, begin + static_cast<std::ptrdiff_t>(s.count)))
        << "all_to_all, part " << peer << " at " << text;
  }
}

/// All of the above.
template <typename T>
void rooted_once(Communicator& rank, const Setting& s, const std::string& text) {
  reduce_once<T>(rank, s, text);
  gather_once<T>(rank, s, text);
  scatter_once<T>(rank, s, text);
  all_to_all_once<T>(rank, s, text);
}

}  // namespace rondo::testing
