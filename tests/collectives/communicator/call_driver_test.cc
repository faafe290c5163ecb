// Who moves calls on, step by step, with peers that the test acts: what comes between two steps
// comes there each time.

#include "collectives/communicator/call_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "collectives/execute/messages/message_header.h"
#include "tests/collectives/communicator/acted_peers.h"
#include "tests/collectives/communicator/polling.h"

namespace rondo::communicator {
namespace {

using rondo::testing::ActedPeer;
using rondo::testing::ActedTransport;
using rondo::testing::is_readable;
using ::testing::HasSubstr;

constexpr int kTag = 5;
constexpr std::size_t kCount = 100;

/// Rank 0 of three.
class ActedWorld : public ::testing::Test {
 protected:
  static constexpr int kRanks = 3;

  ActedWorld() {
    auto transport = std::make_unique<ActedTransport>(kRanks);
    transport_ = transport.get();
    place_ = Place::make(acted_mesh(std::move(transport), std::vector<transport::RankInfo>(kRanks)),
                         {}, Device::host(), std::nullopt)
                 .value();
    driver_ = std::make_unique<CallDriver>(*place_);
  }
  ~ActedWorld() override {
    if (driver_->idle()) return;
    EXPECT_TRUE(driver_->try_take());
    driver_->give_up(Status(ErrorCode::kCancelled, "the test is over"));
    driver_->give_back();
  }
  ActedPeer& peer(int rank) { return transport_->peer(rank); }

  /// Starts a receive from that rank.
  PendingCall& receive_from(int rank) {
    PendingCall& call = driver_->pool().take();
    CallArguments arguments;
    arguments.output = Buffer(data_.data(), data_.size());
    arguments.root = rank;
    arguments.exchange = Exchange::kReceive;
    arguments.tag = kTag;
    call.set_arguments(arguments);
    driver_->push(call);
    return call;
  }
  void send_header(int rank, int tag) {
    peer(rank).arrives(execute::encode({.type = DataType::kU8, .tag = tag, .bytes = data_.size()}));
  }
  /// As a loop of the program's does, that sleeps afterwards where there is nothing to do.
  void look() {
    ASSERT_TRUE(driver_->try_take());
    driver_->look();
    driver_->give_back();
  }
  /// As who waits for a call, until everything has been looked at once.
  void drive_once() {
    ASSERT_TRUE(driver_->try_take());
    driver_->drive(nullptr, {.until = std::chrono::steady_clock::now()});
    driver_->give_back();
  }

  std::vector<unsigned char> data_ = std::vector<unsigned char>(kCount);
  ActedTransport* transport_ = nullptr;
  std::unique_ptr<Place> place_;
  std::unique_ptr<CallDriver> driver_;
};

// Whoever ends a communicator keeps the baton until the thread that had it is gone: a thread that
// stepped aside, to have it again afterwards, would never be.
TEST_F(ActedWorld, WhoDrivesInTheBackground_IsGoneBeforeTheBatonIsGivenBack) {
  constexpr int kTries = 3000;  // the moment that it depends on is one in ten or so
  receive_from(1);
  for (int i = 0; i < kTries; ++i) {
    std::atomic<bool> drives = false;
    std::jthread background([&] {
      EXPECT_TRUE(driver_->try_take());
      drives = true;
      driver_->drive(nullptr, {.in_background = true});
      driver_->give_back();
    });
    while (!drives) std::this_thread::yield();
    ASSERT_TRUE(driver_->take_now());
    background.join();
    driver_->give_back();
  }
}

/// The program's loop sleeps by the descriptor.
class SleepingLoop : public ActedWorld {
 protected:
  SleepingLoop() : descriptor_(driver_->readiness().open(place_->waiter().wake_fd()).value()) {}

  /// Not by a peer, nor because it is time to look again.
  bool is_told() {
    driver_->readiness().disarm();
    return is_readable(descriptor_, 0);
  }

  int descriptor_;
};

// Between the last look of whoever has the baton and its sleep a thread brings a call, or asks
// whether one is done. It has taken the descriptor's signals back, finds the baton taken, and goes
// to sleep as well: nobody has looked at what it brought.
TEST_F(SleepingLoop, WhoFoundTheBatonTaken_IsTold_ThoughItsHolderSleeps) {
  receive_from(1);
  look();
  EXPECT_FALSE(is_told()) << "nobody else was there";
  transport_->armed = [this] {
    receive_from(2);
    EXPECT_EQ(driver_->readiness().take(), 0U);
    EXPECT_FALSE(driver_->try_take_or_tell());
  };
  look();
  EXPECT_TRUE(is_told());

  transport_->armed = nullptr;
  driver_->readiness().take();
  look();
  EXPECT_FALSE(is_told()) << "once";
}

TEST_F(ActedWorld, MessageThatNobodyHasAskedFor_EndsTheWait) {
  receive_from(1);
  drive_once();
  place_->waiter().arm(nullptr);
  place_->waiter().disarm();
  ASSERT_TRUE(place_->waiter().is_long());
  send_header(2, kTag);
  peer(2).arrives(std::vector<std::byte>(kCount));
  drive_once();
  EXPECT_EQ(peer(2).arriving(), 0U);
  EXPECT_FALSE(place_->waiter().is_long()) << "how long nothing came counts from before it came";
}

TEST_F(ActedWorld, ReceiveWhosePayloadCantBePosted_FailsWithWhy) {
  const PendingCall& call = receive_from(1);
  drive_once();
  send_header(1, kTag);
  peer(1).refuse(Status(ErrorCode::kPeerLost, "rank 1 has gone", 1));
  drive_once();
  ASSERT_TRUE(call.done()) << "it would wait for ever";
  EXPECT_EQ(call.status.code(), ErrorCode::kPeerLost);
  EXPECT_THAT(call.status.message(), HasSubstr("rank 1 has gone"));
  EXPECT_TRUE(driver_->idle());
}

}  // namespace
}  // namespace rondo::communicator
