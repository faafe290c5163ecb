// A rank whose table of descriptors is full while it joins says so within seconds, unless somebody
// gives some back.

#include <gtest/gtest.h>

#include "tests/transport/shm/descriptor_limit.h"
#include "tests/transport/tcp/raw_socket.h"
#include "tests/transport/tcp/tcp_world.h"

namespace rondo::transport {
namespace {

Identity rank_of_two(int rank) { return {.job = 0x5eed, .epoch = 2, .rank = rank, .world = 2}; }

void expect_named(const Status& status) {
  EXPECT_EQ(status.code(), ErrorCode::kSystem) << status.to_string();
  EXPECT_TRUE(contains(status, "RLIMIT_NOFILE")) << status.to_string();
}

// Asio's event loop takes up to three, the listener and an epoll descriptor one each.
TEST(TcpNoDescriptors, Listening_saysSo) {
  for (int room = 0; room < 5; ++room) {
    const DescriptorLimit limit(room);
    expect_named(TcpTransport::create(rank_of_two(0), {}).status());
  }
}

TEST(TcpNoDescriptors, Dialling_saysSo) {
  const auto rank_0 = listen_as(rank_of_two(0));
  const auto rank_1 = listen_as(rank_of_two(1));
  const PeerAddress address_0{0, rank_0->address()};
  const DescriptorLimit limit(0);
  expect_named(rank_1->connect({&address_0, 1}, after_ms(60'000)));
}

TEST(TcpNoDescriptors, Accepting_saysSo) {
  const auto rank_0 = listen_as(rank_of_two(0));
  const UniqueFd dialler = dial(rank_0->address());
  const PeerAddress address_1{1, "127.0.0.1:1"};
  const DescriptorLimit limit(0);
  expect_named(rank_0->connect({&address_1, 1}, after_ms(60'000)));
}

// A stranger's place will be free again.
TEST(TcpNoDescriptors, Accepting_besideAStranger_waitsForItsPlace) {
  const auto rank_0 = listen_as(rank_of_two(0), {.hello_timeout_ms = 200});
  const auto rank_1 = listen_as(rank_of_two(1));
  const UniqueFd stranger = dial(rank_0->address());
  // Rank 0 takes two for the stranger and one peer's socket; rank 1 has two of its own.
  const DescriptorLimit limit(4);
  const auto results = join_all({rank_0.get(), rank_1.get()},
                                {{0, rank_0->address()}, {1, rank_1->address()}}, 20'000);
  EXPECT_TRUE(results[0].ok()) << results[0].to_string();
  EXPECT_TRUE(results[1].ok()) << results[1].to_string();
}

}  // namespace
}  // namespace rondo::transport
