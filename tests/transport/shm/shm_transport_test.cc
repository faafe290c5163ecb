#include "transport/shm/shm_transport.h"

#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "tests/transport/ring/allocation_count.h"
#include "tests/transport/ring/conformance.h"
#include "tests/transport/shm/mapped_bytes.h"
#include "tests/transport/shm/shm_world.h"

namespace rondo::transport {
namespace {

using Worlds = testing::Types<ShmWorld, ShmWorldOfSlots>;
INSTANTIATE_TYPED_TEST_SUITE_P(Shm, TransportConformance, Worlds);

template <typename World>
class ShmSteadyState : public TransportConformance<World> {};
TYPED_TEST_SUITE(ShmSteadyState, Worlds);

// Registered, small, in slots and private: each by copy and by view.
TYPED_TEST(ShmSteadyState, Calls_ofEveryKind_allocateNothing) {
  this->connect(2);
  auto registered = this->storable(100'000);
  std::vector<std::byte> plain(100'000), target(100'000);
  std::uint64_t before = 0;
  for (int round = 0; round < 100; ++round) {
    if (round == 2) before = allocation_count();
    this->begin(static_cast<std::uint64_t>(round + 2));
    for (std::byte* source : {registered.get(), plain.data()})
      for (const std::size_t bytes : {std::size_t{8}, std::size_t{9000}, plain.size()}) {
        const Transfer send{.data = source, .bytes = bytes};
        const Transfer recv{.kind = TransferKind::kRecv, .data = target.data(), .bytes = bytes};
        const Transfer view{.kind = TransferKind::kRecvView, .bytes = bytes};
        const auto first = this->from(0, 1).post(std::span(&send, 1));
        const auto second = this->from(0, 1).post(std::span(&send, 1));
        const auto received = this->from(1, 0).post(std::span(&recv, 1));
        const auto viewed = this->from(1, 0).post(std::span(&view, 1));
        while (!*this->from(1, 0).poll(*received) || !*this->from(1, 0).poll(*viewed))
          (void)this->place(0).progress();
        this->from(1, 0).release(*viewed);
        while (!*this->from(0, 1).poll(*first) || !*this->from(0, 1).poll(*second))
          (void)this->place(1).progress();
      }
  }
  EXPECT_EQ(allocation_count(), before);
}

bool can_read_own_process() {
  int value = 7, copy = 0;
  const iovec local{&copy, sizeof(copy)}, remote{&value, sizeof(value)};
  return ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0) == sizeof(value) && copy == value;
}

class ShmPrivateMemory : public TransportConformance<ShmWorld> {};

// More than the slots hold would wait for them; less than that is copied at once, unless it is
// left in place for the peer to read.
TEST_F(ShmPrivateMemory, Send_thatThePeerReadsItself_isDoneOnlyOnceItHas) {
  if (!can_read_own_process()) GTEST_SKIP() << "process_vm_readv isn't permitted here";
  connect(2);
  std::vector<std::byte> source(100'000), target(100'000);
  const Token sent = post(from(0, 1), {.data = source.data(), .bytes = source.size()});
  EXPECT_FALSE(*from(0, 1).poll(sent));
  fill(source, 2);  // still the source's bytes that count
  const Token received = post(
      from(1, 0), {.kind = TransferKind::kRecv, .data = target.data(), .bytes = target.size()});
  EXPECT_TRUE(finish(from(1, 0), received));
  EXPECT_TRUE(*from(0, 1).poll(sent));
  EXPECT_EQ(target, source);
}

TEST(ShmTransport, Address_ofTwoPlaces_isShortAndDiffers) {
  const Identity identity{.job = 1, .epoch = 1, .rank = 0, .world = 2};
  const auto first = ShmTransport::create(identity).value();
  const auto second = ShmTransport::create(identity).value();
  EXPECT_NE(first->address(), second->address());
  EXPECT_LT(first->address().size(), 107u) << "the kernel's limit for a name";
}

/// Whether a message of so many bytes arrives as it was sent.
bool crosses(ShmTransport& source, int source_rank, ShmTransport& target, int target_rank,
             std::size_t bytes) {
  std::vector<std::byte> sent(bytes), received(bytes);
  const auto seed = static_cast<unsigned>(source_rank);
  fill(sent, seed);
  Endpoint& from = *source.endpoint(target_rank);
  Endpoint& to = *target.endpoint(source_rank);
  from.begin(call_number(1), {});
  to.begin(call_number(1), {});
  const Transfer send{.data = sent.data(), .bytes = bytes};
  const Transfer recv{.kind = TransferKind::kRecv, .data = received.data(), .bytes = bytes};
  if (!from.post(std::span(&send, 1)).ok()) return false;
  const auto token = to.post(std::span(&recv, 1));
  if (!token.ok()) return false;
  for (const Deadline deadline = in_seconds(20); std::chrono::steady_clock::now() < deadline;) {
    if (!source.progress().ok() || !target.progress().ok()) return false;
    const auto done = to.poll(*token);
    if (!done.ok() || *done) return done.ok() && has_filling(received.data(), bytes, seed);
  }
  return false;
}

// As between three of the thousand ranks of a job of many hosts.
TEST(ShmTransport, Ranks_ofOneHostOfMany_shareMemoryForTheseAlone) {
  constexpr std::array<int, 3> kRanks{17, 400, 999};
  std::vector<std::unique_ptr<ShmTransport>> places;
  std::vector<PeerAddress> addresses;
  for (const int rank : kRanks) {
    places.push_back(ShmTransport::create({.job = 3, .epoch = 1, .rank = rank, .world = 1000},
                                          {.host_ranks = kRanks})
                         .value());
    addresses.push_back({.rank = rank, .address = places.back()->address()});
  }
  EXPECT_LT(mapped_bytes("rondo-control"), std::uint64_t{3} << 20)
      << "a page for each channel is more";
  std::vector<std::thread> threads;
  std::array<Status, 3> connected;
  for (std::size_t i = 0; i < kRanks.size(); ++i)
    threads.emplace_back([&, i] {
      std::vector<PeerAddress> peers = addresses;
      peers.erase(peers.begin() + static_cast<std::ptrdiff_t>(i));
      connected[i] = places[i]->connect(peers, in_seconds(20));
    });
  for (std::thread& thread : threads) thread.join();
  for (const Status& status : connected) ASSERT_TRUE(status.ok()) << status.to_string();
  for (const std::size_t from : {0U, 1U}) {
    EXPECT_TRUE(crosses(*places[from], kRanks[from], *places[2], kRanks[2], 5000)) << from;
    EXPECT_TRUE(crosses(*places[2], kRanks[2], *places[from], kRanks[from], 5000)) << from;
  }
}

TEST(ShmTransport, Create_outsideItsHost_isInvalid) {
  constexpr std::array<int, 2> kRanks{1, 3};
  const auto status =
      ShmTransport::create({.rank = 2, .world = 4}, {.host_ranks = kRanks}).status();
  EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
  const auto place = ShmTransport::create({.rank = 1, .world = 4}, {.host_ranks = kRanks}).value();
  const std::vector<PeerAddress> peers{{.rank = 0, .address = "elsewhere"}};
  EXPECT_EQ(place->connect(peers, in_seconds(20)).code(), ErrorCode::kInvalidArgument);
}

TEST(ShmTransport, Create_outsideTheWorld_isInvalid) {
  EXPECT_EQ(ShmTransport::create({.rank = 2, .world = 2}).status().code(),
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace rondo::transport
