// Joining: strangers, half-open connections, foreign and missing ranks, addresses.

#include <gtest/gtest.h>

#include "tests/transport/tcp/raw_socket.h"
#include "tests/transport/tcp/tcp_world.h"
#include "transport/tcp/interface.h"
#include "transport/wire/hello.h"

namespace rondo::transport {
namespace {

Identity rank_of(int rank, int world, std::uint64_t job = 0x5eed, std::uint32_t epoch = 2) {
  return {.job = job, .epoch = epoch, .rank = rank, .world = world};
}

TEST(TcpJoin, NineRanks_AllPairsAreConnected) {
  TcpWorld world(9);
  for (int a = 0; a < 9; ++a)
    for (int b = 0; b < 9; ++b) EXPECT_EQ(world.rank(a).endpoint(b) != nullptr, a != b);
}

TEST(TcpJoin, StrangersAndHalfOpenConnections_AreNotWaitedFor) {
  // Silence is tolerated for longer than joining may take: waiting for one of them would fail it.
  const auto rank_0 =
      listen_as(rank_of(0, 2), {.hello_timeout_ms = 600'000, .max_pending_hellos = 4});
  const auto rank_1 = listen_as(rank_of(1, 2));
  std::vector<UniqueFd> strangers;
  for (int i = 0; i < 40; ++i) {
    strangers.push_back(dial(rank_0->address()));
    ASSERT_TRUE(strangers.back().valid());
    // The first ones stay silent, or stop in the middle: they could hold every place.
    if (i >= 20) write_all(strangers.back(), pattern(100, 1));
    if (i % 2 == 1 && i < 20) write_all(strangers.back(), std::as_bytes(std::span("RNDO", 4)));
  }
  const auto results = join_all({rank_0.get(), rank_1.get()},
                                {{0, rank_0->address()}, {1, rank_1->address()}}, 20'000);
  EXPECT_TRUE(results[0].ok()) << results[0].to_string();
  EXPECT_TRUE(results[1].ok()) << results[1].to_string();
}

TEST(TcpJoin, SilentConnection_IsDroppedAfterItsDeadline) {
  const auto rank_0 = listen_as(rank_of(0, 2), {.hello_timeout_ms = 200});
  const UniqueFd silent = dial(rank_0->address());
  const PeerAddress peer{1, "127.0.0.1:1"};
  const Status status = rank_0->connect({&peer, 1}, after_ms(3000));
  EXPECT_EQ(status.code(), ErrorCode::kTimeout);
  EXPECT_TRUE(contains(status, "no hello came in time")) << status.to_string();
  std::byte byte{};
  EXPECT_EQ(::recv(silent.get(), &byte, 1, MSG_DONTWAIT), 0);  // closed, not just forgotten
}

TEST(TcpJoin, MissingRanks_AreNamedAfterTheDeadline) {
  const auto rank_1 = listen_as(rank_of(1, 4));
  const auto rank_2 = listen_as(rank_of(2, 4));
  std::string dead_address;
  dead_address = listen_as(rank_of(0, 4))->address();
  const std::vector<PeerAddress> addresses = {
      {0, dead_address}, {1, rank_1->address()}, {2, rank_2->address()}, {3, "127.0.0.1:1"}};
  Status status_1;
  Status status_2;
  std::thread other([&] {
    const std::vector<PeerAddress> peers = {addresses[0], addresses[1], addresses[3]};
    status_2 = rank_2->connect(peers, after_ms(2000));
  });
  const std::vector<PeerAddress> peers = {addresses[0], addresses[2], addresses[3]};
  status_1 = rank_1->connect(peers, after_ms(2000));
  other.join();
  EXPECT_EQ(status_1.code(), ErrorCode::kTimeout);
  EXPECT_EQ(status_1.culprit(), 0);
  EXPECT_TRUE(contains(status_1, "rank 0 (" + dead_address)) << status_1.to_string();
  EXPECT_TRUE(contains(status_1, "rank 3 (127.0.0.1:1: it hasn't dialled")) << status_1.to_string();
  EXPECT_FALSE(contains(status_1, "rank 2 (")) << status_1.to_string();
  EXPECT_FALSE(contains(status_2, "rank 1 (")) << status_2.to_string();
}

/// Listens, and has no room for one connection more: the kernel drops what would open it, as a
/// firewall does.
class FullListener {
 public:
  FullListener() {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof name;
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&name), bytes), 0);
    EXPECT_EQ(::listen(listener_.get(), 0), 0);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&name), &bytes);
    address_ = "127.0.0.1:" + std::to_string(ntohs(name.sin_port));
    filler_ = dial(address_);
  }
  const std::string& address() const { return address_; }

 private:
  UniqueFd listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  UniqueFd filler_;
  std::string address_;
};

TEST(TcpJoin, AddressThatNeverAnswers_IsSaidToBeUnreachable) {
  const FullListener rank_0;
  const PeerAddress address_0{0, rank_0.address()};
  Status status;
  // Where this process stands still in the first attempt, all of its time is over with that.
  for (int tries = 0; tries < 5 && !contains(status, "no answer within"); ++tries) {
    const auto rank_1 = listen_as(rank_of(1, 2), {.dial_attempt_ms = 100});
    status = rank_1->connect({&address_0, 1}, after_ms(1000));
  }
  EXPECT_EQ(status.code(), ErrorCode::kTimeout);
  EXPECT_TRUE(contains(status, "no answer within 0.1 s: a firewall")) << status.to_string();
  EXPECT_TRUE(contains(status, "RONDO_IFACE")) << status.to_string();
}

// Rank 1 dials a rank 0 that isn't of its job or epoch.
void expect_refusal(const Identity& own, const Identity& other, const std::string& text) {
  const auto rank_0 = listen_as(other);
  const auto rank_1 = listen_as(own);
  const auto results = join_all({rank_0.get(), rank_1.get()},
                                {{0, rank_0->address()}, {1, rank_1->address()}}, 3000);
  EXPECT_EQ(results[1].code(), ErrorCode::kMismatch);
  EXPECT_EQ(results[1].culprit(), 0);
  EXPECT_TRUE(contains(results[1], "refused rank 1: " + text)) << results[1].to_string();
  EXPECT_EQ(results[0].code(), ErrorCode::kTimeout);
  EXPECT_TRUE(contains(results[0], text)) << results[0].to_string();
}

TEST(TcpJoin, ForeignRank_IsRefusedAndBothSaysWhy) {
  expect_refusal(rank_of(1, 2, 0xbeef), rank_of(0, 2),
                 "the dialler is of job ..00beef, this rank of job ..005eed");
  expect_refusal(rank_of(1, 2, 0x5eed, 3), rank_of(0, 2),
                 "the dialler is of epoch 3, this rank of epoch 2");
  expect_refusal(rank_of(1, 3), rank_of(0, 2), "the dialler is of world 3, this rank of world 2");
}

TEST(TcpJoin, SecondProcessOfTheSameRank_IsRefused) {
  const auto rank_0 = listen_as(rank_of(0, 3));
  const auto rank_1 = listen_as(rank_of(1, 3));
  const auto impostor = listen_as(rank_of(1, 3));
  const PeerAddress address_0{0, rank_0->address()};
  std::thread joining([&] {
    const std::vector<PeerAddress> peers = {{1, rank_1->address()}, {2, "127.0.0.1:1"}};
    EXPECT_FALSE(rank_0->connect(peers, after_ms(3000)).ok());
  });
  EXPECT_TRUE(rank_1->connect({&address_0, 1}, after_ms(5000)).ok());
  const Status status = impostor->connect({&address_0, 1}, after_ms(5000));
  EXPECT_TRUE(contains(status, "another process has joined as rank 1")) << status.to_string();
  joining.join();
}

TEST(TcpJoin, LateListener_IsFoundByRetrying) {
  auto rank_0 = listen_as(rank_of(0, 2));
  const auto rank_1 = listen_as(rank_of(1, 2));
  const PeerAddress address_0{0, rank_0->address()};
  Status status;
  std::thread dialling([&] { status = rank_1->connect({&address_0, 1}, after_ms(10'000)); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const PeerAddress address_1{1, rank_1->address()};
  EXPECT_TRUE(rank_0->connect({&address_1, 1}, after_ms(10'000)).ok());
  dialling.join();
  EXPECT_TRUE(status.ok()) << status.to_string();
}

TEST(TcpJoin, BadArguments_AreRefused) {
  const auto bind = TcpTransport::create(rank_of(0, 2), {.bind = "no-such-interface"});
  EXPECT_EQ(bind.status().code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(contains(bind.status(), "no-such-interface"));
  EXPECT_TRUE(contains(bind.status(), "lo")) << bind.status().to_string();
  for (const char* address :
       {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "host:80", "1.2.3.4:99999"}) {
    const auto rank_1 = listen_as(rank_of(1, 2));
    const PeerAddress peer{0, address};
    EXPECT_EQ(rank_1->connect({&peer, 1}, after_ms(100)).code(), ErrorCode::kInvalidArgument)
        << address;
  }
}

TEST(Interface, Address_IsOneThisHostHas) {
  EXPECT_EQ(*resolve_interface("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(*resolve_interface("lo"), "127.0.0.1");
  // Of the block for documentation (RFC 5737): never this host's.
  EXPECT_EQ(resolve_interface("192.0.2.1").status().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(*address_towards("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(address_towards("no-such-host.invalid").status().code(), ErrorCode::kInvalidArgument);
}

TEST(TcpJoin, ListeningAddress_IsTheOneThatWasAskedFor) {
  EXPECT_EQ(listen_as(rank_of(0, 2))->address().rfind("127.0.0.1:", 0), 0U);
  EXPECT_EQ(listen_as(rank_of(0, 2), {.bind = "lo"})->address().rfind("127.0.0.1:", 0), 0U);
}

}  // namespace
}  // namespace rondo::transport
