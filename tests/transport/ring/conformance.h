#pragma once

// What every transport over shared lines must do, as a suite of typed tests. A `World` is made by
// the transport's own test:
//   struct MyWorld {
//     static Result<std::unique_ptr<Transport>> make(const Identity&);
//     static std::byte* allocate(std::size_t); static void free(std::byte*);  // can be stored into
//     static constexpr bool kPlainIsLent;      // ordinary memory needs no copy either
//   };
// Most tests drive all places from one thread: that is allowed, and makes them exact.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "transport/endpoint/transport.h"

namespace rondo::transport {

inline Deadline in_seconds(int seconds) {
  return std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
}

/// Bytes that differ from rank to rank and from message to message.
inline void fill(std::span<std::byte> data, unsigned seed) {
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<std::byte>((i * 2654435761u + seed * 40503u) >> 11);
}

inline bool has_filling(const std::byte* data, std::size_t bytes, unsigned seed) {
  std::vector<std::byte> expected(bytes);
  fill(expected, seed);
  return std::equal(expected.begin(), expected.end(), data);
}

inline Call call_number(std::uint64_t sequence) {
  return {.sequence = sequence, .fingerprint = {.collective = 2, .count = 1000 + sequence}};
}

template <typename World>
class TransportConformance : public testing::Test {
 protected:
  struct Freed {
    void operator()(std::byte* data) const { World::free(data); }
  };
  using Storable = std::unique_ptr<std::byte, Freed>;
  static Storable storable(std::size_t bytes) { return Storable(World::allocate(bytes)); }

  // Connects a world of `size`, each place by a thread of its own.
  void connect(int size) {
    static std::uint64_t jobs = 1000;
    const std::uint64_t job = ++jobs;
    std::vector<PeerAddress> addresses;
    for (int rank = 0; rank < size; ++rank) {
      auto made = World::make({.job = job, .epoch = 3, .rank = rank, .world = size});
      ASSERT_TRUE(made.ok()) << made.status().to_string();
      places_.push_back(std::move(made).value());
      addresses.push_back({.rank = rank, .address = places_.back()->address()});
    }
    std::vector<Status> results(places_.size());
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size; ++rank)
      threads.emplace_back([&, rank] {
        std::vector<PeerAddress> peers = addresses;
        peers.erase(peers.begin() + rank);
        results[index(rank)] = places_[index(rank)]->connect(peers, in_seconds(20));
      });
    for (auto& thread : threads) thread.join();
    for (const Status& status : results) ASSERT_TRUE(status.ok()) << status.to_string();
    begin(1);
  }

  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  Transport& place(int rank) { return *places_[index(rank)]; }
  Endpoint& from(int rank, int peer) { return *place(rank).endpoint(peer); }

  void begin(std::uint64_t sequence) {
    const int size = static_cast<int>(places_.size());
    for (int rank = 0; rank < size; ++rank)
      for (int peer = 0; peer < size; ++peer)
        if (peer != rank) from(rank, peer).begin(call_number(sequence), {});
  }

  Token post(Endpoint& endpoint, const Transfer& transfer) {
    auto token = endpoint.post(std::span(&transfer, 1));
    EXPECT_TRUE(token.ok()) << token.status().to_string();
    return token.ok() ? *token : 0;
  }
  // Drives all places until `condition` holds; false if it never does.
  bool drive(const std::function<bool()>& condition) {
    const Deadline deadline = in_seconds(20);
    while (!condition()) {
      for (auto& transport : places_)
        if (transport) failure_ = transport->progress();
      if (std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
  }
  bool finish(Endpoint& endpoint, Token token) {
    return drive([&] {
      auto done = endpoint.poll(token);
      EXPECT_TRUE(done.ok()) << done.status().to_string();
      return !done.ok() || *done;
    });
  }
  // The error that polling `token` ends with.
  Status failure_of(Endpoint& endpoint, Token token) {
    Status status;
    drive([&] {
      auto done = endpoint.poll(token);
      if (!done.ok()) status = std::move(done).status();
      return !status.ok();
    });
    return status;
  }

  // Sends one message from 0 to 1 and checks what arrives.
  void carry(std::byte* source, std::size_t bytes, TransferKind recv_kind, std::uint16_t lane) {
    std::vector<std::byte> target(bytes);
    const unsigned seed = ++seed_;
    fill({source, bytes}, seed);
    const Token sent = post(
        from(0, 1), {.kind = TransferKind::kSend, .lane = lane, .data = source, .bytes = bytes});
    const Token received =
        post(from(1, 0), {.kind = recv_kind, .lane = lane, .data = target.data(), .bytes = bytes});
    ASSERT_TRUE(finish(from(1, 0), received)) << bytes;
    const bool is_view = recv_kind == TransferKind::kRecvView;
    const std::byte* arrived = is_view ? from(1, 0).view(received) : target.data();
    EXPECT_TRUE(has_filling(arrived, bytes, seed)) << bytes << " bytes, view " << is_view;
    if (is_view) from(1, 0).release(received);
    ASSERT_TRUE(finish(from(0, 1), sent)) << bytes;
  }

  std::vector<std::unique_ptr<Transport>> places_;
  unsigned seed_ = 0;
  Status failure_;
};

inline const std::vector<std::size_t>& message_sizes() {
  static const std::vector<std::size_t> sizes{0,  1,    15,    16,    17,    24,     25,
                                              64, 4096, 65535, 65536, 65537, 300001, 1048579};
  return sizes;
}

TYPED_TEST_SUITE_P(TransportConformance);

TYPED_TEST_P(TransportConformance, Message_ofEverySize_arrivesWhateverMemoryItIsIn) {
  this->connect(2);
  auto registered = this->storable(message_sizes().back());
  std::vector<std::byte> plain(message_sizes().back());
  for (const std::size_t bytes : message_sizes())
    for (std::byte* source : {registered.get(), plain.data()})
      for (const TransferKind kind : {TransferKind::kRecv, TransferKind::kRecvView})
        for (const std::uint16_t lane : {std::uint16_t{0}, std::uint16_t{7}})
          this->carry(source, bytes, kind, lane);
  const Traffic sent = this->from(0, 1).traffic();
  const Traffic received = this->from(1, 0).traffic();
  EXPECT_GT(sent.sent_bytes, 8 * message_sizes().back());
  EXPECT_EQ(sent.sent_bytes, received.received_bytes);
  EXPECT_EQ(received.sent_bytes, 0u);
}

TYPED_TEST_P(TransportConformance, Messages_ofAFullWindow_arriveInOrder) {
  this->connect(2);
  Endpoint& sender = this->from(0, 1);
  Endpoint& receiver = this->from(1, 0);
  for (int round = 0; round < 5; ++round) {
    std::vector<std::vector<std::byte>> sources, targets;
    std::vector<Token> sent, received;
    for (std::size_t i = 0; i < sender.window(); ++i) {
      const std::size_t bytes = message_sizes()[i % message_sizes().size()] % 70'000;
      sources.emplace_back(bytes);
      targets.emplace_back(bytes);
      fill(sources.back(), static_cast<unsigned>(i + 1));
      sent.push_back(this->post(sender, {.data = sources.back().data(), .bytes = bytes}));
    }
    for (auto& target : targets)
      received.push_back(this->post(
          receiver, {.kind = TransferKind::kRecv, .data = target.data(), .bytes = target.size()}));
    for (const Token token : received) ASSERT_TRUE(this->finish(receiver, token));
    for (const Token token : sent) ASSERT_TRUE(this->finish(sender, token));
    EXPECT_EQ(targets, sources);
  }
}

TYPED_TEST_P(TransportConformance, LentSend_isDone_onlyOnceTheViewIsReleased) {
  this->connect(2);
  auto source = this->storable(5000);
  fill({source.get(), 5000}, 9);
  const Token sent = this->post(this->from(0, 1), {.data = source.get(), .bytes = 5000});
  const Token received = this->post(
      this->from(1, 0), {.kind = TransferKind::kRecvView, .data = nullptr, .bytes = 5000});
  ASSERT_TRUE(this->finish(this->from(1, 0), received));
  EXPECT_FALSE(*this->from(0, 1).poll(sent));
  source.get()[17] = std::byte{0x5a};  // the view is the source itself
  EXPECT_EQ(this->from(1, 0).view(received)[17], std::byte{0x5a});
  this->from(1, 0).release(received);
  EXPECT_TRUE(*this->from(0, 1).poll(sent));
}

TYPED_TEST_P(TransportConformance, Views_releasedOutOfOrder_freeTheirSendersInOrder) {
  this->connect(2);
  Endpoint& sender = this->from(0, 1);
  Endpoint& receiver = this->from(1, 0);
  auto source = this->storable(100);
  fill({source.get(), 100}, 4);
  for (int round = 0; round < 5; ++round) {
    std::vector<Token> sent, views;
    for (std::size_t i = 0; i < sender.window(); ++i) {
      sent.push_back(this->post(sender, {.data = source.get(), .bytes = 100}));
      views.push_back(this->post(receiver, {.kind = TransferKind::kRecvView, .bytes = 100}));
    }
    for (const Token view : views) ASSERT_TRUE(this->finish(receiver, view));
    for (std::size_t i = views.size(); i > 1; --i) receiver.release(views[i - 1]);
    EXPECT_FALSE(*sender.poll(sent[0]));
    EXPECT_FALSE(*sender.poll(sent[1])) << "done before an older send";
    receiver.release(views[0]);
    for (const Token token : sent) EXPECT_TRUE(*sender.poll(token));
  }
}

TYPED_TEST_P(TransportConformance, Group_inBothDirectionsAndOnTwoLanes_isDoneWhenAllAre) {
  this->connect(2);
  std::vector<std::byte> a(100), b(200), c(100), d(200);
  fill(a, 1), fill(b, 2);
  const std::array there{
      Transfer{.kind = TransferKind::kSend, .data = a.data(), .bytes = 100},
      Transfer{.kind = TransferKind::kRecv, .lane = 3, .data = d.data(), .bytes = 200}};
  const std::array back{
      Transfer{.kind = TransferKind::kRecv, .data = c.data(), .bytes = 100},
      Transfer{.kind = TransferKind::kSend, .lane = 3, .data = b.data(), .bytes = 200}};
  const auto first = this->from(0, 1).post(there);
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(*this->from(0, 1).poll(*first));
  const auto second = this->from(1, 0).post(back);
  ASSERT_TRUE(second.ok());
  EXPECT_TRUE(this->finish(this->from(0, 1), *first));
  EXPECT_TRUE(this->finish(this->from(1, 0), *second));
  EXPECT_EQ(a, c);
  EXPECT_EQ(b, d);
}

TYPED_TEST_P(TransportConformance, Store_intoThePeersRegion_isThereWhenItsMessageIsReceived) {
  this->connect(2);
  auto output = this->storable(8192);
  auto scratch = this->storable(4096);
  Endpoint& storer = this->from(0, 1);
  storer.begin(call_number(2), {});
  EXPECT_EQ(storer.peer_store(StoreRegion::kOutput, 0, 1), nullptr) << "peer is in another call";
  this->from(1, 0).begin(call_number(2),
                         {std::span(output.get(), 8192), std::span(scratch.get(), 4096)});
  std::byte* target = storer.peer_store(StoreRegion::kOutput, 100, 8092);
  std::byte* other = storer.peer_store(StoreRegion::kScratch, 0, 4096);
  ASSERT_NE(target, nullptr);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(storer.peer_store(StoreRegion::kOutput, 101, 8092), nullptr);
  EXPECT_EQ(storer.peer_store(StoreRegion::kScratch, ~std::size_t{0}, 2), nullptr);
  fill({target, 8092}, 6);
  fill({other, 4096}, 7);
  const Token sent = this->post(storer, {.kind = TransferKind::kStored, .bytes = 8092});
  const Token received = this->post(
      this->from(1, 0), {.kind = TransferKind::kRecv, .data = output.get() + 100, .bytes = 8092});
  ASSERT_TRUE(this->finish(this->from(1, 0), received));
  ASSERT_TRUE(this->finish(storer, sent));
  EXPECT_TRUE(has_filling(output.get() + 100, 8092, 6));
  EXPECT_TRUE(has_filling(scratch.get(), 4096, 7));
}

TYPED_TEST_P(TransportConformance, Store_intoOrdinaryMemory_isOfferedOnlyWhereItCanBeMapped) {
  this->connect(2);
  std::vector<std::byte> plain(100);
  this->from(1, 0).begin(call_number(1), {plain, {}});
  EXPECT_EQ(this->from(0, 1).peer_store(StoreRegion::kOutput, 0, 100) != nullptr,
            TypeParam::kPlainIsLent);
}

TYPED_TEST_P(TransportConformance, Message_ofADifferentCall_isAMismatchThatNamesBoth) {
  this->connect(2);
  Call other = call_number(1);
  other.fingerprint.count = 4321;
  this->from(0, 1).begin(other, {});
  std::vector<std::byte> data(8);
  this->post(this->from(0, 1), {.data = data.data(), .bytes = 8});
  const Transfer recv{.kind = TransferKind::kRecv, .data = data.data(), .bytes = 8};
  const Status status = this->from(1, 0).post(std::span(&recv, 1)).status();
  EXPECT_EQ(status.code(), ErrorCode::kMismatch);
  EXPECT_EQ(status.culprit(), 0);
  EXPECT_THAT(status.message(),
              testing::AllOf(testing::HasSubstr("rank 0"), testing::HasSubstr("rank 1"),
                             testing::HasSubstr("4321"), testing::HasSubstr("1001")));
}

TYPED_TEST_P(TransportConformance, Message_ofALaterCall_waitsUntilThatCall) {
  this->connect(2);
  this->from(0, 1).begin(call_number(2), {});
  std::vector<std::byte> source(8), target(8);
  fill(source, 3);
  this->post(this->from(0, 1), {.data = source.data(), .bytes = 8});
  const Token received = this->post(
      this->from(1, 0), {.kind = TransferKind::kRecv, .data = target.data(), .bytes = 8});
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(*this->from(1, 0).poll(received));
  this->from(1, 0).begin(call_number(2), {});
  EXPECT_TRUE(*this->from(1, 0).poll(received));
  EXPECT_EQ(source, target);
}

TYPED_TEST_P(TransportConformance, PeerCall_ofWhatAPeerHasBegun_isKnownWithoutAMessage) {
  this->connect(3);
  EXPECT_EQ(this->from(0, 2).peer_call(1), call_number(1).fingerprint);
  EXPECT_FALSE(this->from(0, 2).peer_call(2));
  // Begun on its connection to rank 1, seen by rank 0 as well.
  this->from(2, 1).begin(call_number(2), {});
  EXPECT_TRUE(this->from(2, 1).announce_call().ok());
  EXPECT_EQ(this->from(0, 2).peer_call(2), call_number(2).fingerprint);
}

TYPED_TEST_P(TransportConformance, Abort_reachesThePeerWithCodeCulpritAndReason) {
  this->connect(3);
  std::vector<std::byte> data(8);
  const Token waiting =
      this->post(this->from(0, 2), {.kind = TransferKind::kRecv, .data = data.data(), .bytes = 8});
  this->from(2, 0).abort(Status(ErrorCode::kTimeout, "waited for too long", 1));
  const Status status = this->failure_of(this->from(0, 2), waiting);
  EXPECT_EQ(status.code(), ErrorCode::kTimeout);
  EXPECT_EQ(status.culprit(), 1);
  EXPECT_THAT(status.message(), testing::AllOf(testing::HasSubstr("rank 2"),
                                               testing::HasSubstr("waited for too long")));
  EXPECT_EQ(this->place(0).progress().code(), ErrorCode::kTimeout);
  EXPECT_TRUE(this->place(1).progress().ok());
}

// What was read of a peer that then freed it can't be told from what it sent: the end of a call
// asks.
TYPED_TEST_P(TransportConformance, Verdict_afterThePeerGaveUp_isThePeersReason) {
  this->connect(2);
  EXPECT_TRUE(this->from(0, 1).verdict().ok());
  this->from(1, 0).abort(Status(ErrorCode::kTimeout, "waited for too long", 0));
  this->from(0, 1).end();  // a peer of this process is waited for
  this->from(1, 0).withdraw();
  const Status status = this->from(0, 1).verdict();
  EXPECT_EQ(status.code(), ErrorCode::kTimeout);
  EXPECT_THAT(status.message(), testing::HasSubstr("waited for too long"));
}

TYPED_TEST_P(TransportConformance, Store_afterThePeerGaveUp_isRefusedForThePeersReason) {
  this->connect(2);
  EXPECT_TRUE(this->from(0, 1).begin_store().ok());
  this->from(0, 1).end_store();
  this->from(1, 0).abort(Status(ErrorCode::kTimeout, "waited for too long", 0));
  this->from(0, 1).end();  // a peer of this process is waited for
  this->from(1, 0).withdraw();
  this->from(1, 0).await_store(std::chrono::steady_clock::time_point::max());
  for (int i = 0; i < 2; ++i) {
    const Status status = this->from(0, 1).begin_store();
    EXPECT_EQ(status.code(), ErrorCode::kTimeout);
    EXPECT_THAT(status.message(), testing::HasSubstr("waited for too long"));
  }
  // Neither is a store that has begun.
  this->from(1, 0).await_store(std::chrono::steady_clock::time_point::max());
}

TYPED_TEST_P(TransportConformance, Goodbye_leavesWhatWasSent_andFailsWhatIsStillAwaited) {
  this->connect(2);
  std::vector<std::byte> source(8), first(8), second(8);
  fill(source, 5);
  this->post(this->from(1, 0), {.data = source.data(), .bytes = 8});
  this->places_[1].reset();
  Endpoint& left = this->from(0, 1);
  for (int i = 0; i < 20; ++i) {  // time for the news to arrive
    EXPECT_TRUE(this->place(0).progress().ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const Token received =
      this->post(left, {.kind = TransferKind::kRecv, .data = first.data(), .bytes = 8});
  EXPECT_TRUE(this->finish(left, received));
  EXPECT_EQ(first, source);
  const Transfer more{.kind = TransferKind::kRecv, .data = second.data(), .bytes = 8};
  const auto token = left.post(std::span(&more, 1));
  const Status status = token.ok() ? this->failure_of(left, *token) : token.status();
  EXPECT_EQ(status.code(), ErrorCode::kPeerLost);
  EXPECT_EQ(status.culprit(), 1);
  EXPECT_THAT(status.message(), testing::HasSubstr("rank 1"));
}

// Two threads, each asleep whenever it has nothing to do: one lost wake-up would end the test.
TYPED_TEST_P(TransportConformance, PingPong_asleepWhileWaiting_losesNoWakeUp) {
  this->connect(2);
  const auto play = [this](int rank) {
    Endpoint& endpoint = this->from(rank, 1 - rank);
    Transport& transport = this->place(rank);
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < 600; ++i) {
      const bool sends = (i % 2 == 0) == (rank == 0);
      if (sends) value = i;
      const Transfer transfer{.kind = sends ? TransferKind::kSend : TransferKind::kRecv,
                              .data = reinterpret_cast<std::byte*>(&value),
                              .bytes = sizeof(value)};
      auto token = endpoint.post(std::span(&transfer, 1));
      if (!token.ok()) return token.status().to_string();
      for (;;) {
        auto done = endpoint.poll(*token);
        if (!done.ok()) return done.status().to_string();
        if (*done) break;
        bool woken = true;
        if (!transport.arm()) {
          pollfd wait{.fd = transport.wake_fd(), .events = POLLIN, .revents = 0};
          woken = ::poll(&wait, 1, 20'000) == 1;
        }
        transport.disarm();
        if (!woken) return std::string("slept through message ") + std::to_string(i);
      }
      if (value != i) return std::string("wrong value");
    }
    return std::string();
  };
  std::string first;
  std::thread thread([&] { first = play(0); });
  const std::string second = play(1);
  thread.join();
  EXPECT_EQ(first, "");
  EXPECT_EQ(second, "");
}

// Both threads send and receive on several lanes at once, in all sizes, by copy and by view.
TYPED_TEST_P(TransportConformance, Exchange_byTwoThreads_keepsEveryByte) {
  this->connect(2);
  constexpr std::uint16_t kLanes = 3;
  const auto play = [this](int rank) {
    Endpoint& endpoint = this->from(rank, 1 - rank);
    auto registered = this->storable(70'000);
    std::vector<std::byte> plain(70'000);
    for (unsigned i = 0; i < 300; ++i) {
      const std::size_t bytes = message_sizes()[i % 12];
      const auto lane = static_cast<std::uint16_t>(i % kLanes);
      std::byte* source = i % 2 == 0 ? registered.get() : plain.data();
      std::vector<std::byte> target(bytes);
      fill({source, bytes}, 2 * i + static_cast<unsigned>(rank));
      const bool is_view = i % 5 < 2;
      const Transfer send{.lane = lane, .data = source, .bytes = bytes};
      const Transfer recv{.kind = is_view ? TransferKind::kRecvView : TransferKind::kRecv,
                          .lane = lane,
                          .data = target.data(),
                          .bytes = bytes};
      const auto sent = endpoint.post(std::span(&send, 1));
      const auto received = endpoint.post(std::span(&recv, 1));
      if (!sent.ok() || !received.ok()) return std::string("post failed");
      while (!*endpoint.poll(*received)) std::this_thread::yield();
      const std::byte* arrived = is_view ? endpoint.view(*received) : target.data();
      if (!has_filling(arrived, bytes, 2 * i + static_cast<unsigned>(1 - rank)))
        return "wrong bytes in message " + std::to_string(i);
      if (is_view) endpoint.release(*received);
      while (!*endpoint.poll(*sent)) std::this_thread::yield();
    }
    return std::string();
  };
  std::string first;
  std::thread thread([&] { first = play(0); });
  const std::string second = play(1);
  thread.join();
  EXPECT_EQ(first, "");
  EXPECT_EQ(second, "");
}

TYPED_TEST_P(TransportConformance, Connect_withoutAPeer_timesOutAndNamesIt) {
  auto alone = TypeParam::make({.job = 77, .epoch = 1, .rank = 0, .world = 4});
  auto other = TypeParam::make({.job = 77, .epoch = 1, .rank = 2, .world = 4});
  ASSERT_TRUE(alone.ok() && other.ok());
  const std::vector<PeerAddress> peers{{.rank = 2, .address = (*other)->address()}};
  const Status status =
      (*alone)->connect(peers, std::chrono::steady_clock::now() + std::chrono::milliseconds(50));
  EXPECT_EQ(status.code(), ErrorCode::kTimeout);
  EXPECT_EQ(status.culprit(), 2);
  EXPECT_THAT(status.message(), testing::HasSubstr("2"));
}

TYPED_TEST_P(TransportConformance, Endpoint_ofOneselfOrAStranger_isNull) {
  this->connect(2);
  EXPECT_EQ(this->place(0).endpoint(0), nullptr);
  EXPECT_EQ(this->place(0).endpoint(2), nullptr);
  EXPECT_EQ(this->place(0).endpoint(-1), nullptr);
  EXPECT_EQ(this->from(0, 1).peer(), 1);
}

// A place looks once more between saying that it sleeps and sleeping.
TYPED_TEST_P(TransportConformance, Eager_messageThatCameBeforeTheSleep_keepsThePlaceAwake) {
  this->connect(2);
  std::vector<std::byte> source(8);
  fill(source, 6);
  EXPECT_EQ(*this->from(1, 0).recv_eager(8), nullptr);
  EXPECT_FALSE(this->place(1).arm());
  this->place(1).disarm();
  EXPECT_TRUE(*this->from(0, 1).send_eager(source));
  EXPECT_TRUE(this->place(1).arm());
  this->place(1).disarm();
  const std::byte* const received = *this->from(1, 0).recv_eager(8);
  ASSERT_NE(received, nullptr);
  EXPECT_TRUE(std::equal(source.begin(), source.end(), received));
  this->from(1, 0).release_eager();
  EXPECT_FALSE(this->place(1).arm());
  this->place(1).disarm();
  // The sender's own room isn't news to a receiver that waits.
  EXPECT_EQ(*this->from(0, 1).recv_eager(8), nullptr);
  EXPECT_FALSE(this->place(0).arm());
  this->place(0).disarm();
}

// To the receiver it makes no difference how its peer sent it: at once, or as a transfer that may
// travel any way and in pieces.
TYPED_TEST_P(TransportConformance, Eager_messageOfAnySize_isReceivedWhicheverWayItWasSent) {
  this->connect(2);
  Endpoint& sender = this->from(0, 1);
  Endpoint& receiver = this->from(1, 0);
  const std::size_t most = *sender.eager_bytes();
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{24}, most, most + 1, 3 * most}) {
    std::vector<std::byte> source(bytes);
    fill(source, static_cast<unsigned>(bytes % 97));
    for (const bool eager : {true, false}) {
      if (eager && bytes > most) continue;
      Token sent{};
      if (eager) {
        EXPECT_TRUE(*sender.send_eager(source));
      } else {
        sent = this->post(sender, {.data = source.data(), .bytes = bytes});
      }
      const std::byte* received = nullptr;
      for (int look = 0; look < 1000 && received == nullptr; ++look) {
        received = *receiver.recv_eager(bytes);
        ASSERT_TRUE(eager || sender.poll(sent).ok());
      }
      ASSERT_NE(received, nullptr) << bytes << " bytes, eager " << eager;
      EXPECT_TRUE(std::equal(source.begin(), source.end(), received)) << bytes << " bytes";
      receiver.release_eager();
      EXPECT_TRUE(eager || *sender.poll(sent));
    }
  }
}

TYPED_TEST_P(TransportConformance, Eager_messagesBeyondWhatIsFree_areRefusedUntilOneIsReleased) {
  this->connect(2);
  Endpoint& sender = this->from(0, 1);
  Endpoint& receiver = this->from(1, 0);
  std::vector<std::byte> source(*sender.eager_bytes());
  fill(source, 3);
  int sent = 0;
  while (sent < 100 && *sender.send_eager(source)) ++sent;
  ASSERT_GT(sent, 0);
  ASSERT_LT(sent, 100);
  ASSERT_NE(*receiver.recv_eager(source.size()), nullptr);
  EXPECT_FALSE(*sender.send_eager(source)) << "the receiver still reads";
  receiver.release_eager();
  EXPECT_TRUE(*sender.send_eager(source));
}

REGISTER_TYPED_TEST_SUITE_P(
    TransportConformance, Message_ofEverySize_arrivesWhateverMemoryItIsIn,
    Messages_ofAFullWindow_arriveInOrder, LentSend_isDone_onlyOnceTheViewIsReleased,
    Views_releasedOutOfOrder_freeTheirSendersInOrder,
    Group_inBothDirectionsAndOnTwoLanes_isDoneWhenAllAre,
    Store_intoThePeersRegion_isThereWhenItsMessageIsReceived,
    Store_intoOrdinaryMemory_isOfferedOnlyWhereItCanBeMapped,
    Message_ofADifferentCall_isAMismatchThatNamesBoth, Message_ofALaterCall_waitsUntilThatCall,
    PeerCall_ofWhatAPeerHasBegun_isKnownWithoutAMessage,
    Abort_reachesThePeerWithCodeCulpritAndReason, Verdict_afterThePeerGaveUp_isThePeersReason,
    Store_afterThePeerGaveUp_isRefusedForThePeersReason,
    Goodbye_leavesWhatWasSent_andFailsWhatIsStillAwaited, PingPong_asleepWhileWaiting_losesNoWakeUp,
    Exchange_byTwoThreads_keepsEveryByte, Connect_withoutAPeer_timesOutAndNamesIt,
    Endpoint_ofOneselfOrAStranger_isNull, Eager_messageThatCameBeforeTheSleep_keepsThePlaceAwake,
    Eager_messageOfAnySize_isReceivedWhicheverWayItWasSent,
    Eager_messagesBeyondWhatIsFree_areRefusedUntilOneIsReleased);

}  // namespace rondo::transport
