// Peers that disagree, leave, give up, vanish or break the protocol.

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <sys/socket.h>

#include <chrono>
#include <thread>

#include "tests/transport/tcp/played_peer.h"
#include "transport/wire/control.h"

namespace rondo::transport {
namespace {

TEST_F(PlayedPeer, DataByteByByte_IsPutTogether) {
  Bytes target(300);
  const Token token = recv(target);
  const Bytes source = pattern(300, 4);
  Bytes stream(kFrameHeaderBytes);
  encode_frame_header({.lane = 0, .payload_bytes = 300, .call = {1, 2, sum_of(1009)}},
                      std::span(stream).first<kFrameHeaderBytes>());
  stream.insert(stream.end(), source.begin(), source.end());
  for (std::size_t i = 0; i < stream.size(); ++i) {
    EXPECT_FALSE(*end_->poll(token));
    write_all(data_, std::span(stream).subspan(i, 1));
    ASSERT_TRUE(rank_0_->progress().ok());
  }
  const Deadline deadline = after_ms(60'000);
  while (!*end_->poll(token) && std::chrono::steady_clock::now() < deadline)
    ASSERT_TRUE(rank_0_->progress().ok());
  EXPECT_EQ(target, source);
}

TEST_F(PlayedPeer, ClosedInTheMiddleOfAMessage_IsLostByName) {
  Bytes target(100);
  const Token token = recv(target);
  write_header(100);
  write_all(data_, pattern(40, 1));
  data_.reset();
  control_.reset();
  const Status error = first_error();
  EXPECT_EQ(error.code(), ErrorCode::kPeerLost);
  EXPECT_EQ(error.culprit(), 1);
  for (const char* part : {"rank 1", "127.0.0.1:1", "40 of 100 bytes"})
    EXPECT_TRUE(contains(error, part)) << error.to_string();
  EXPECT_EQ(end_->poll(token).status().code(), ErrorCode::kPeerLost);
}

TEST_F(PlayedPeer, OneConnectionLostAndNoWordOnTheOther_IsLost) {
  data_.reset();
  EXPECT_EQ(first_error().code(), ErrorCode::kPeerLost);
}

// A filter on the peer's socket lets nothing in, so that its kernel acknowledges nothing.
TEST_F(PlayedPeer, HostThatVanishesWhileItOwesAnAcknowledgement_IsLostByName) {
  start({.host_lost_ms = 1000});
  sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);
  const sock_fprog program{.len = 1, .filter = &nothing};
  ASSERT_EQ(::setsockopt(data_.get(), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program), 0);
  Bytes source(100);
  Bytes target(100);
  const Transfer sent{TransferKind::kSend, 0, source.data(), source.size()};
  static_cast<void>(*end_->post({&sent, 1}));
  const Token token = recv(target);
  const Status error = first_error();
  EXPECT_EQ(error.code(), ErrorCode::kPeerLost) << error.to_string();
  EXPECT_EQ(error.culprit(), 1);
  for (const char* part : {"rank 1", "127.0.0.1:1", "acknowledged nothing for 1 s"})
    EXPECT_TRUE(contains(error, part)) << error.to_string();
  EXPECT_EQ(end_->poll(token).status().code(), ErrorCode::kPeerLost);
}

// Its window is full: its kernel answers the probes.
TEST_F(PlayedPeer, PeerThatDoesNotReadForLong_IsNotLost) {
  start({.host_lost_ms = 1000});
  Bytes source(std::size_t{1} << 20);
  std::vector<Token> sends;
  for (int i = 0; i < 16; ++i) {
    const Transfer transfer{TransferKind::kSend, 0, source.data(), source.size()};
    sends.push_back(*end_->post({&transfer, 1}));
  }
  const Deadline end = after_ms(8000);
  while (std::chrono::steady_clock::now() < end) {
    const Status status = rank_0_->progress();
    ASSERT_TRUE(status.ok()) << status.to_string();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_FALSE(*end_->poll(sends.back()));
}

TEST_F(PlayedPeer, ControlConnectionLost_IsLost) {
  control_.reset();
  EXPECT_EQ(first_error().code(), ErrorCode::kPeerLost);
}

TEST_F(PlayedPeer, DataEndsBeforeTheAbortArrives_ReportsTheAbort) {
  start({.last_words_ms = 600'000});
  data_.reset();
  for (int i = 0; i < 20; ++i) static_cast<void>(rank_0_->progress());
  std::array<std::byte, kMaxControlBytes> block;
  const AbortNotice notice{ErrorCode::kDevice, 1, "its device caught fire"};
  write_all(control_, std::span(block).first(encode_control(notice, 2, block)));
  const Status error = first_error();
  EXPECT_EQ(error.code(), ErrorCode::kDevice) << error.to_string();
  EXPECT_EQ(error.message(), "rank 1 gave up: its device caught fire");
}

TEST_F(PlayedPeer, GarbageOnEitherConnection_IsAnErrorNamingThePeer) {
  write_all(data_, pattern(200, 9));
  const Status error = first_error();
  EXPECT_EQ(error.code(), ErrorCode::kInternal);
  EXPECT_EQ(error.culprit(), 1);
  EXPECT_TRUE(contains(error, "rank 1 broke the wire protocol")) << error.to_string();
}

TEST_F(PlayedPeer, GarbageOnControl_IsAnErrorNamingThePeer) {
  write_all(control_, pattern(200, 9));
  EXPECT_TRUE(contains(first_error(), "rank 1 broke the wire protocol"));
}

TEST_F(PlayedPeer, FrameOfAnotherEpochOrAnEarlierCall_IsAProtocolError) {
  end_->begin({2, 2, sum_of(1009)}, {});
  write_header(4, {1, 2, sum_of(1009)});
  const Status error = first_error();
  EXPECT_EQ(error.code(), ErrorCode::kInternal);
  EXPECT_TRUE(contains(error, "call #1, rank 0 is in call #2")) << error.to_string();
}

TEST_F(PlayedPeer, FrameOfAnotherEpoch_IsAProtocolError) {
  write_header(4, {1, 3, sum_of(1009)});
  EXPECT_TRUE(contains(first_error(), "epoch 3, rank 0 is in epoch 2"));
}

TEST_F(PlayedPeer, CreditForMoreThanWasSent_LeavesTheWindowAsItIs) {
  Bytes source = pattern(10, 1);
  std::vector<Token> sends;
  const auto send = [&] {
    const Transfer transfer{TransferKind::kSend, 0, source.data(), source.size()};
    sends.push_back(*end_->post({&transfer, 1}));
  };
  send();
  std::array<std::byte, kMaxControlBytes> block;
  write_all(control_, std::span(block).first(encode_control(Credit{0, 1'000'000}, 2, block)));
  // Once what came after it is known, the credit has been read.
  const CallAnnouncement marker{1, sum_of(1009)};
  write_all(control_, std::span(block).first(encode_control(marker, 2, block)));
  for (const Deadline end = after_ms(60'000);
       !end_->peer_call(1) && std::chrono::steady_clock::now() < end;)
    ASSERT_TRUE(rank_0_->progress().ok());
  for (int i = 0; i < 8; ++i) send();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(rank_0_->progress().ok());
  // One is consumed; of the rest the played peer's window, 4, may be under way.
  EXPECT_TRUE(*end_->poll(sends[4]));
  EXPECT_FALSE(*end_->poll(sends[5]));
}

TEST(TcpFailure, OtherFingerprint_IsAMismatchOnWhoSeesItEvenWithNothingPosted) {
  for (const bool posted : {true, false}) {
    TcpWorld world(2);
    world.end(0, 1).begin({1, 2, sum_of(1010)}, {});
    Bytes data(16);
    if (posted) world.recv(1, 0, data);
    world.send(0, 1, data);
    const Status error = world.first_error(1);
    EXPECT_EQ(error.code(), ErrorCode::kMismatch);
    EXPECT_EQ(error.culprit(), 0);
    for (const char* part : {"call #1", "rank 0", "rank 1", "1009", "1010"})
      EXPECT_TRUE(contains(error, part)) << error.to_string();
  }
}

TEST(TcpFailure, AnnouncementOfAnotherCall_IsAMismatchBeforeAndAfterBegin) {
  for (const std::uint64_t sequence : {1U, 2U}) {
    TcpWorld world(2);
    world.end(0, 1).begin({sequence, 2, sum_of(1010)}, {});
    ASSERT_TRUE(world.end(0, 1).announce_call().ok());
    if (sequence == 2) {
      ASSERT_TRUE(world.drive([&] { return world.end(1, 0).peer_call(2).has_value(); }));
      EXPECT_TRUE(world.rank(1).progress().ok());
      world.end(1, 0).begin({2, 2, sum_of(1009)}, {});
    }
    EXPECT_EQ(world.first_error(1).code(), ErrorCode::kMismatch);
  }
}

TEST(TcpFailure, OtherLength_IsAMismatchNamingBothNumbersAndRanks) {
  TcpWorld world(2);
  Bytes source(24);
  Bytes target(25);
  world.send(0, 1, source);
  world.recv(1, 0, target);
  const Status error = world.first_error(1);
  EXPECT_EQ(error.code(), ErrorCode::kMismatch);
  for (const char* part : {"rank 0 sent 24", "rank 1 expects 25"})
    EXPECT_TRUE(contains(error, part)) << error.to_string();
}

TEST(TcpFailure, Abort_ReachesThePeerWithCodeCulpritAndText) {
  TcpWorld world(3);
  Bytes target(10);
  const Token waiting = world.recv(2, 0, target);
  const Status cause(ErrorCode::kTimeout, "rank 1 was silent for 5000 ms", 1, "lane 0, op 3/8");
  world.end(0, 2).abort(cause);
  world.destroy(0);
  const Status error = world.first_error(2);
  EXPECT_EQ(error.code(), ErrorCode::kTimeout);
  EXPECT_EQ(error.culprit(), 1);
  EXPECT_EQ(error.message(), "rank 0 gave up: rank 1 was silent for 5000 ms [lane 0, op 3/8]");
  EXPECT_EQ(world.end(2, 0).poll(waiting).status().code(), ErrorCode::kTimeout);
  const Transfer transfer{TransferKind::kSend, 0, target.data(), target.size()};
  EXPECT_EQ(world.end(2, 0).post({&transfer, 1}).status().code(), ErrorCode::kTimeout);
}

TEST(TcpFailure, Abort_ToAPeerThatReadsNothingWhileThisRankWaits_StillReachesIt) {
  TcpWorld world(2);
  Bytes target(10);
  world.recv(1, 0, target);
  // One each ten milliseconds of a wait: an hour's.
  for (int i = 0; i < 360'000; ++i) ASSERT_TRUE(world.end(0, 1).announce_call().ok());
  world.end(0, 1).abort(Status(ErrorCode::kTimeout, "rank 1 was silent for an hour", 1));
  const Status error = world.first_error(1);
  EXPECT_EQ(error.code(), ErrorCode::kTimeout);
  EXPECT_EQ(error.message(), "rank 0 gave up: rank 1 was silent for an hour");
}

TEST(TcpFailure, OwnAbort_IsWhatLaterCallsReport) {
  TcpWorld world(2);
  world.end(0, 1).abort(Status(ErrorCode::kMismatch, "no match", 1));
  EXPECT_EQ(world.rank(0).progress().message(), "no match");
  EXPECT_EQ(world.end(0, 1).announce_call().message(), "no match");
}

TEST(TcpFailure, Goodbye_IsNoErrorUntilThePeerIsNeeded) {
  TcpWorld world(2);
  world.begin({7, 2, sum_of(3)});
  world.destroy(0);
  for (const Deadline end = after_ms(50); std::chrono::steady_clock::now() < end;)
    ASSERT_TRUE(world.rank(1).progress().ok()) << world.rank(1).progress().to_string();
  Bytes data(10);
  const Transfer recv{TransferKind::kRecv, 0, data.data(), data.size()};
  const Status error = world.end(1, 0).post({&recv, 1}).status();
  EXPECT_EQ(error.code(), ErrorCode::kPeerLost);
  EXPECT_EQ(error.culprit(), 0);
  EXPECT_TRUE(contains(error, "it destroyed its communicator at call #7")) << error.to_string();
}

TEST(TcpFailure, GoodbyeWhileThisRankWaits_IsAnErrorOfThePollOnly) {
  TcpWorld world(2);
  Bytes data(10);
  const Token waiting = world.recv(1, 0, data);
  world.destroy(0);
  Status error;
  ASSERT_TRUE(world.drive([&] {
    EXPECT_TRUE(world.rank(1).progress().ok());
    error = world.end(1, 0).poll(waiting).status();
    return !error.ok();
  }));
  EXPECT_EQ(error.code(), ErrorCode::kPeerLost);
  EXPECT_TRUE(contains(error, "rank 0 (127.0.0.1:")) << error.to_string();
}

TEST(TcpFailure, PostedDataOfARankThatLeaves_StillArrives) {
  TcpWorld world(2, {.window = 4, .linger_ms = 60'000});
  std::vector<Bytes> sources;
  for (std::size_t i = 0; i < 4; ++i) {
    sources.push_back(pattern(3 << 20, i));
    world.send(0, 1, sources.back());
  }
  std::thread leaving([&] { world.destroy(0); });
  std::vector<Bytes> targets(4, Bytes(3 << 20));
  std::vector<Token> tokens;
  for (Bytes& target : targets) tokens.push_back(world.recv(1, 0, target));
  const Deadline deadline = after_ms(60'000);
  bool done = false;
  while (!done && std::chrono::steady_clock::now() < deadline) {
    const Status status = world.rank(1).progress();
    EXPECT_TRUE(status.ok()) << status.to_string();
    const Result<bool> state = world.end(1, 0).poll(tokens.back());
    EXPECT_TRUE(state.ok()) << state.status().to_string();
    if (!state.ok() || !status.ok()) break;
    done = *state;
  }
  leaving.join();
  EXPECT_TRUE(done);
  EXPECT_EQ(targets, sources);
}

}  // namespace
}  // namespace rondo::transport
