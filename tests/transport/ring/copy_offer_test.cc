// Long messages that their receiver and their sender copy together.

#include "transport/ring/copy_offer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cstring>
#include <thread>
#include <vector>

#include "tests/transport/ring/ring_pair.h"
#include "transport/ring/ring_endpoint.h"

namespace rondo::transport {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::size_t kUnit = std::size_t{32} << 10;
constexpr std::size_t kBytes = 5 * kUnit + 100;  // parts of two units are offered, then of one
constexpr std::byte kUntouched{0x55};
constexpr int kElsewhere = -2;  // no core

const Call kCall{.sequence = 5, .fingerprint = {.collective = 1, .count = 77}};

/// Rank 0 lends; rank 1 receives to where rank 0 may store, unit by unit.
class CopiedTogether : public ::testing::Test {
 protected:
  CopiedTogether() {
    for (std::size_t i = 0; i < kBytes; ++i) source()[i] = static_cast<std::byte>(i * 11 / 3);
    std::memset(target(), static_cast<int>(kUntouched), kBytes + kUnit);
    begin(std::span(target(), kBytes));
  }

  void begin(std::span<std::byte> store) {
    pair_.endpoint(0).begin(kCall, {});
    pair_.endpoint(1).begin(kCall, {store, {}});
  }
  std::byte* source() { return pair_.range().data(); }
  std::byte* target() { return pair_.range().data() + kBytes; }
  Token post(int rank, const Transfer& transfer) {
    return *pair_.endpoint(rank).post(std::span(&transfer, 1));
  }
  Token send() {
    return post(0, {.kind = TransferKind::kSend, .data = source(), .bytes = kBytes, .unit = kUnit});
  }
  /// Of the unit `index`.
  Token receive(std::size_t index) {
    const std::size_t begin = index * kUnit;
    return post(1, {.kind = TransferKind::kRecv,
                    .data = target() + begin,
                    .bytes = std::min(kUnit, kBytes - begin),
                    .room = kBytes - begin});
  }
  bool is_done(int rank, Token token) { return *pair_.endpoint(rank).poll(token); }
  std::uint64_t copied(int rank) { return pair_.endpoint(rank).traffic().copied_bytes; }
  /// As if the receiver were on another core: a test has one thread.
  Result<Ticks> help() {
    offers().core = kElsewhere;
    return pair_.endpoint(0).help();
  }
  CopyOffers& offers() { return pair_.channel(1).copy_offers[0]; }
  CopyAnswers& answers() { return pair_.channel(0).copy_answers[0]; }
  void expect_all_there() {
    EXPECT_EQ(std::memcmp(target(), source(), kBytes), 0);
    EXPECT_THAT(std::span(target() + kBytes, kUnit), Each(kUntouched));
  }

  RingPair pair_;
};

TEST_F(CopiedTogether, WhatTheSenderCopies_TheReceiverDoesNot) {
  const Token sent = send();
  EXPECT_EQ(*help(), 0U) << "nothing is offered yet";
  EXPECT_TRUE(is_done(1, receive(0)));  // offers 2 and 3
  const int rung = pair_.endpoint(0).doorbells;
  pair_.head(1).sleep.turn = 1;  // it sleeps
  EXPECT_NE(*help(), 0U);
  EXPECT_EQ(pair_.endpoint(0).doorbells, rung + 1);
  EXPECT_EQ(*help(), 0U) << "once";
  EXPECT_EQ(std::memcmp(target() + 2 * kUnit, source() + 2 * kUnit, 2 * kUnit), 0);
  for (std::size_t index = 1; index < 6; ++index) EXPECT_TRUE(is_done(1, receive(index)));
  EXPECT_TRUE(is_done(0, sent));
  expect_all_there();
  EXPECT_EQ(copied(0), 2 * kUnit);
  EXPECT_EQ(copied(1), kBytes - 2 * kUnit);
  EXPECT_EQ(pair_.endpoint(1).traffic().received_bytes, kBytes);
}

TEST_F(CopiedTogether, WhereTheSenderDoesSomethingElse_TheReceiverCopiesItAll) {
  const Token sent = send();
  for (std::size_t index = 0; index < 6; ++index) EXPECT_TRUE(is_done(1, receive(index)));
  EXPECT_EQ(*help(), 0U) << "all of it has been taken back";
  EXPECT_TRUE(is_done(0, sent));
  expect_all_there();
  EXPECT_EQ(copied(0), 0U);
}

TEST_F(CopiedTogether, OnTheReceiversCore_NobodyHelps) {
  send();
  receive(0);
  cpu_set_t before;
  sched_getaffinity(0, sizeof(before), &before);
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &here);
  sched_setaffinity(0, sizeof(here), &here);
  offers().core = sched_getcpu();
  EXPECT_EQ(*pair_.endpoint(0).help(), 0U);
  sched_setaffinity(0, sizeof(before), &before);
  EXPECT_NE(*help(), 0U);
}

TEST_F(CopiedTogether, WhileTheSenderIsAtAPart_TheReceiverWaitsForThat) {
  const Token sent = send();
  receive(0);
  receive(1);
  answers().taken = offers().made.load();
  const Token third = receive(2);
  EXPECT_FALSE(is_done(1, third));
  EXPECT_FALSE(pair_.endpoint(1).can_progress()) << "it may sleep until the sender has done";
  std::memcpy(target() + 2 * kUnit, source() + 2 * kUnit, 2 * kUnit);
  answers().answered = offers().made.load() * 2 + 1;
  EXPECT_TRUE(pair_.endpoint(1).can_progress());
  EXPECT_TRUE(is_done(1, third));
  for (std::size_t index = 3; index < 6; ++index) EXPECT_TRUE(is_done(1, receive(index)));
  EXPECT_TRUE(is_done(0, sent));
  expect_all_there();
  EXPECT_EQ(copied(1), kBytes - 2 * kUnit);
}

TEST_F(CopiedTogether, WhatTheSenderCouldNotCopy_TheReceiverDoes) {
  send();
  receive(0);
  receive(1);
  answers().taken = offers().made.load();
  answers().answered = offers().made.load() * 2;
  for (std::size_t index = 2; index < 6; ++index) EXPECT_TRUE(is_done(1, receive(index)));
  expect_all_there();
  EXPECT_EQ(copied(1), kBytes);
}

TEST_F(CopiedTogether, MemoryThatTheSenderMayNotStoreInto_IsNotOffered) {
  begin({});
  send();
  for (std::size_t index = 0; index < 6; ++index) EXPECT_TRUE(is_done(1, receive(index)));
  EXPECT_EQ(offers().made.load(), 0U);
  expect_all_there();
}

TEST_F(CopiedTogether, MemoryThatNoPeerMaps_IsNotOffered) {
  std::vector<std::byte> own(kBytes);
  begin(own);
  send();
  post(1, {.kind = TransferKind::kRecv, .data = own.data(), .bytes = kUnit, .room = kBytes});
  EXPECT_EQ(offers().made.load(), 0U);
}

TEST_F(CopiedTogether, ShortParts_AreNotOffered) {
  post(0, {.kind = TransferKind::kSend, .data = source(), .bytes = kUnit, .unit = kUnit / 2});
  post(1, {.kind = TransferKind::kRecv, .data = target(), .bytes = kUnit / 2, .room = kUnit});
  EXPECT_EQ(offers().made.load(), 0U);
}

TEST_F(CopiedTogether, OffersThatCannotBe_AreRefused) {
  const auto damage = std::vector<void (*)(CopyOffers&)>{
      [](CopyOffers& offers) { offers.begin = kBytes - kUnit; },
      [](CopyOffers& offers) { offers.begin = ~std::uint64_t{0}; },
      [](CopyOffers& offers) { offers.bytes = kBytes; },
      [](CopyOffers& offers) { offers.place = kBytes - kUnit; },
      [](CopyOffers& offers) { offers.place = std::uint64_t{1} << StorePlace::kRegionShift; },
      [](CopyOffers& offers) { offers.place = std::uint64_t{255} << StorePlace::kRegionShift; },
  };
  send();
  receive(0);
  const std::uint64_t made = offers().made;
  CopyOffers& shared = offers();
  const std::uint64_t begin = shared.begin, bytes = shared.bytes, place = shared.place;
  for (std::size_t i = 0; i < damage.size(); ++i) {
    shared.begin = begin, shared.bytes = bytes, shared.place = place;
    damage[i](shared);
    shared.made = made + 1 + i;
    EXPECT_EQ(*help(), 0U) << i;
    EXPECT_EQ(answers().answered.load(), (made + 1 + i) * 2) << i;
  }
  EXPECT_THAT(std::span(target() + kUnit, kBytes), Each(kUntouched));
}

TEST_F(CopiedTogether, OffersOfAnotherMessage_ArePassedOver) {
  send();
  receive(0);
  offers().line = 7;
  EXPECT_EQ(*help(), 0U);
  EXPECT_EQ(answers().taken.load(), 0U);
}

TEST_F(CopiedTogether, WhoGivesUp_IsStoredIntoNoMore) {
  send();
  receive(0);
  pair_.endpoint(1).withdraw();
  const auto helped = help();
  ASSERT_FALSE(helped.ok());
  EXPECT_THAT(std::string(helped.status().message()), HasSubstr("rank 1 gave up"));
  EXPECT_THAT(std::span(target() + kUnit, kBytes), Each(kUntouched));
  EXPECT_EQ(pair_.channel(0).storing.now.load(), 0U);
}

/// Whoever is first: nobody copies a piece twice, and none is left out.
TEST(CopyOffers, EachPiece_IsCopiedByOneOfTheTwo) {
  constexpr std::uint64_t kPieces = 200'000;
  CopyOffers offers{};
  CopyAnswers answers{};
  std::vector<int> copies(kPieces);
  std::atomic<bool> is_over = false;
  std::uint64_t by_sender = 0;
  std::thread sender([&] {
    CopyHelp help(offers, answers);
    while (!is_over) {
      const auto piece = help.look();
      if (!piece || !help.take()) continue;
      ++copies[piece->begin];
      ++by_sender;
      help.answer(true);
    }
  });
  CopyOffer offer(offers, answers);
  for (std::uint64_t piece = 0; piece < kPieces; ++piece) {
    offer.make({.begin = piece});
    for (std::uint64_t i = 0; i < piece % 64; ++i)
      std::atomic_signal_fence(std::memory_order_seq_cst);
    if (piece % 1000 == 0) std::this_thread::yield();
    CopyOffer::Copied copied = offer.take_back();
    for (; copied == CopyOffer::Copied::kNotYet; copied = offer.take_back())
      std::this_thread::yield();
    if (copied == CopyOffer::Copied::kByNobody) ++copies[piece];
  }
  is_over = true;
  sender.join();
  EXPECT_THAT(copies, Each(1));
  EXPECT_GT(by_sender, 0U);
  EXPECT_LT(by_sender, kPieces);
}

}  // namespace
}  // namespace rondo::transport
