#include "transport/inproc/inproc_transport.h"

#include <gtest/gtest.h>

#include "tests/transport/ring/allocation_count.h"
#include "tests/transport/ring/conformance.h"

namespace rondo::transport {
namespace {

struct InprocWorld {
  static Result<std::unique_ptr<Transport>> make(const Identity& identity) {
    RONDO_ASSIGN(std::unique_ptr<Transport> made, InprocTransport::create(identity));
    return made;
  }
  static std::byte* allocate(std::size_t bytes) { return new std::byte[bytes]; }
  static void free(std::byte* data) { delete[] data; }
  static constexpr bool kPlainIsLent = true;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Inproc, TransportConformance, InprocWorld);

class InprocTransportTest : public TransportConformance<InprocWorld> {};

TEST_F(InprocTransportTest, SteadyState_allocatesNothing) {
  connect(2);
  std::vector<std::byte> source(9000), target(9000);
  std::uint64_t before = 0;
  for (int round = 0; round < 200; ++round) {
    if (round == 2) before = allocation_count();
    begin(static_cast<std::uint64_t>(round + 2));
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{9000}}) {
      const Transfer send{.data = source.data(), .bytes = bytes};
      const Transfer recv{.kind = TransferKind::kRecv, .data = target.data(), .bytes = bytes};
      const Transfer view{.kind = TransferKind::kRecvView, .bytes = bytes};
      const auto first = from(0, 1).post(std::span(&send, 1));
      const auto second = from(0, 1).post(std::span(&send, 1));
      const auto received = from(1, 0).post(std::span(&recv, 1));
      const auto viewed = from(1, 0).post(std::span(&view, 1));
      while (!*from(1, 0).poll(*received) || !*from(1, 0).poll(*viewed)) (void)place(1).progress();
      from(1, 0).release(*viewed);
      while (!*from(0, 1).poll(*first) || !*from(0, 1).poll(*second)) (void)place(0).progress();
    }
  }
  EXPECT_EQ(allocation_count(), before);
}

TEST_F(InprocTransportTest, Create_twiceForOneRank_isInvalid) {
  const Identity identity{.job = 5, .epoch = 1, .rank = 1, .world = 2};
  const auto first = InprocTransport::create(identity);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(InprocTransport::create(identity).status().code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(InprocTransport::create({.job = 5, .epoch = 2, .rank = 1, .world = 2}).ok());
}

TEST_F(InprocTransportTest, Create_afterTheOldPlaceIsGone_works) {
  const Identity identity{.job = 5, .epoch = 1, .rank = 1, .world = 2};
  EXPECT_TRUE(InprocTransport::create(identity).ok());
  EXPECT_TRUE(InprocTransport::create(identity).ok());
}

TEST_F(InprocTransportTest, Connect_toAPlaceOfAnotherProcess_isInvalidAtOnce) {
  auto place = InprocTransport::create({.job = 5, .epoch = 1, .rank = 0, .world = 2});
  ASSERT_TRUE(place.ok());
  const std::vector<PeerAddress> peers{{.rank = 1, .address = "inproc-1-00000000/1"}};
  EXPECT_EQ((*place)->connect(peers, in_seconds(20)).code(), ErrorCode::kInvalidArgument);
}

// Its memory may be freed once withdraw has returned: not before the peer's call has ended.
TEST_F(InprocTransportTest, Withdraw_whileThePeerIsInACall_waitsForItsEnd) {
  connect(2);
  begin(2);
  from(0, 1).end();
  std::atomic<bool> ended = false;
  std::thread peer([&] {
    const Transfer recv{.kind = TransferKind::kRecvView, .bytes = 100};
    const auto token = from(1, 0).post(std::span(&recv, 1));
    while (place(1).progress().ok()) std::this_thread::yield();
    EXPECT_FALSE(from(1, 0).poll(*token).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(30));  // in a sweep, say
    ended = true;
    from(1, 0).end();
  });
  from(0, 1).abort(Status(ErrorCode::kTimeout, "waited for too long", 1));
  from(0, 1).withdraw();
  EXPECT_TRUE(ended);
  peer.join();
}

TEST_F(InprocTransportTest, Begin_afterThePeerGaveUp_failsBeforeAnythingIsTouched) {
  connect(2);
  from(1, 0).end();
  from(0, 1).abort(Status(ErrorCode::kTimeout, "waited for too long", 1));
  from(0, 1).withdraw();
  from(1, 0).begin(call_number(2), {});
  const Transfer recv{.kind = TransferKind::kRecvView, .bytes = 100};
  const auto posted = from(1, 0).post(std::span(&recv, 1));
  ASSERT_FALSE(posted.ok());
  EXPECT_THAT(posted.status().message(), testing::HasSubstr("rank 0 gave up: waited"));
}

// The first of a pair to connect may be gone again before the second looks.
TEST_F(InprocTransportTest, Connect_toAPeerThatLeavesAtOnce_stillFindsIt) {
  for (std::uint64_t round = 0; round < 50; ++round) {
    std::array<std::unique_ptr<InprocTransport>, 2> pair;
    for (const int rank : {0, 1})
      pair[index(rank)] =
          InprocTransport::create({.job = 900 + round, .epoch = 1, .rank = rank, .world = 2})
              .value();
    const std::array<std::string, 2> addresses{pair[0]->address(), pair[1]->address()};
    std::array<Status, 2> results;
    const auto visit = [&](int rank) {
      const std::vector<PeerAddress> peers{
          {.rank = 1 - rank, .address = addresses[index(1 - rank)]}};
      results[index(rank)] = pair[index(rank)]->connect(peers, in_seconds(20));
      pair[index(rank)].reset();
    };
    std::thread thread([&] { visit(0); });
    visit(1);
    thread.join();
    ASSERT_TRUE(results[0].ok() && results[1].ok());
  }
}

}  // namespace
}  // namespace rondo::transport
