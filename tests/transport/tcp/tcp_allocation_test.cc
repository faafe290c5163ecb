// A program of its own: it counts every allocation of the process.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "tests/transport/ring/allocation_count.h"
#include "tests/transport/tcp/tcp_world.h"

namespace rondo::transport {
namespace {

// One round: a call of two lanes in both directions, with copies and views, and an announcement.
void exchange(TcpWorld& world, std::uint64_t sequence, std::span<std::byte> data) {
  world.begin({sequence, 2, sum_of(sequence)});
  std::array<Token, 8> tokens{};
  for (int at = 0; at < 2; ++at) {
    const auto i = static_cast<std::size_t>(at) * 4;
    const auto half = data.subspan(static_cast<std::size_t>(at) * data.size() / 2, data.size() / 4);
    const auto into = data.subspan(half.size() * (at == 0 ? 1 : 3), half.size());
    tokens[i] = world.send(at, 1 - at, half, 0);
    tokens[i + 1] = world.send(at, 1 - at, half, 1);
    tokens[i + 2] = world.recv(at, 1 - at, into, 0);
    tokens[i + 3] = world.post(at, 1 - at, {TransferKind::kRecvView, 1, nullptr, half.size()});
    static_cast<void>(world.end(at, 1 - at).announce_call());
  }
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const int at = static_cast<int>(i / 4);
    while (!*world.end(at, 1 - at).poll(tokens[i]))
      for (int rank = 0; rank < 2; ++rank) static_cast<void>(world.rank(rank).progress());
    if (i % 4 == 3) world.end(at, 1 - at).release(tokens[i]);
  }
  for (int rank = 0; rank < 2; ++rank)
    if (!world.rank(rank).arm()) world.rank(rank).disarm();
}

TEST(TcpAllocation, SteadyState_AllocatesNothing) {
  TcpWorld world(2, {.window = 4});
  std::vector<std::byte> data(400'000);
  std::uint64_t sequence = 1;
  for (; sequence <= 50; ++sequence) exchange(world, sequence, data);
  const std::uint64_t before = allocation_count();
  ASSERT_GT(before, 0U);
  for (; sequence <= 300; ++sequence) exchange(world, sequence, data);
  EXPECT_EQ(allocation_count() - before, 0U);
}

}  // namespace
}  // namespace rondo::transport
