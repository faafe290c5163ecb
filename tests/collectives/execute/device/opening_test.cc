// Memory of a peer's that can't be opened yet, since what lay there before is still open: it is
// waited for, a while, and who is told that it took too long is told why.

#include "collectives/execute/device/opening.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/device/emulated/emulated.h"
#include "tests/collectives/execute/device/connected_ranks.h"
#include "tests/collectives/execute/device/device_rank.h"

namespace rondo::execute {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kCount = 1'003;

/// Emulated devices where what was open is closed late.
class LateClosing final : public device::DeviceDriver {
 public:
  std::atomic<bool> opening_waits = false;
  std::atomic<bool> is_closing = false;

  bool import_waits(int /*index*/, const device::SharedHandle& /*memory*/) override {
    return opening_waits;
  }
  bool closes_later() override { return is_closing; }

  Result<int> device_count() override { return real_->device_count(); }
  Result<void*> allocate(int index, std::size_t bytes) override {
    return real_->allocate(index, bytes);
  }
  void free(void* pointer) override { real_->free(pointer); }
  Status check_memory(int index, const void* pointer, std::size_t bytes) override {
    return real_->check_memory(index, pointer, bytes);
  }
  Result<device::SharedHandle> export_memory(const void* pointer) override {
    return real_->export_memory(pointer);
  }
  Result<void*> import_memory(int index, const device::SharedHandle& memory) override {
    return real_->import_memory(index, memory);
  }
  void release_imported(void* pointer) override { real_->release_imported(pointer); }
  std::uint64_t frees() const override { return real_->frees(); }
  bool lives(const device::SharedHandle& memory) override { return real_->lives(memory); }
  Result<std::shared_ptr<detail::StreamImpl>> create_stream(int index) override {
    return real_->create_stream(index);
  }
  Result<std::shared_ptr<detail::EventImpl>> create_event(int index) override {
    return real_->create_event(index);
  }
  Result<device::SharedHandle> export_event(detail::EventImpl& event) override {
    return real_->export_event(event);
  }
  Result<std::shared_ptr<detail::EventImpl>> import_event(
      int index, const device::SharedHandle& event) override {
    return real_->import_event(index, event);
  }

 private:
  const std::unique_ptr<device::DeviceDriver> real_ = device::make_emulated_driver(
      {.memory_bytes = std::size_t{8} << 20, .lateness = {.longest_us = 10}});
};

class OpeningTest : public ::testing::Test {
 protected:
  Result<bool> look() { return opening_.look(place_, regions_, 3); }

  LateClosing driver_;
  DevicePlace place_{Device::emulated(0), driver_};
  std::array<Region, 2> regions_ = {Region{}, Region{.address = 64}};
  Opening opening_;
};

TEST_F(OpeningTest, WaitsAsLongAsTheDriverDoes) {
  opening_.begin(false);
  driver_.opening_waits = true;
  EXPECT_FALSE(look().value());
  EXPECT_FALSE(opening_.done());
  driver_.opening_waits = false;
  EXPECT_TRUE(look().value());
  EXPECT_TRUE(opening_.done());
}

TEST_F(OpeningTest, OfAPeerOfThisProcess_HasNothingToWaitFor) {
  opening_.begin(true);
  EXPECT_TRUE(opening_.done());
}

TEST_F(OpeningTest, ThatTakesTooLong_NamesThePeer_AndWhatToDo) {
  opening_.begin(false);
  driver_.opening_waits = true;
  const auto begun = std::chrono::steady_clock::now();
  Result<bool> looked = look();
  while (looked.ok()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    looked = look();
  }
  EXPECT_GE(std::chrono::steady_clock::now() - begun, Opening::kPatience);
  EXPECT_EQ(looked.status().code(), ErrorCode::kDevice);
  EXPECT_EQ(looked.status().culprit(), 3);
  EXPECT_THAT(looked.status().message(),
              AllOf(HasSubstr("rank 3 has freed memory"), HasSubstr("kept from call to call")));
}

/// The calls of three ranks end while one is stopped and another one's memory can't be opened.
TEST_F(OpeningTest, ThatWaits_ExplainsNoDeadlineThatAnotherRankHasMissed) {
  opening_.begin(false);
  driver_.opening_waits = true;
  EXPECT_FALSE(look().value());
  const Status others(ErrorCode::kTimeout, "nothing came from rank 2", 2);
  const Status kept = opening_.explained(others, place_, 3);
  EXPECT_EQ(kept.culprit(), 2);
  EXPECT_EQ(kept.message(), others.message());
  const Status explained =
      opening_.explained(Status(ErrorCode::kTimeout, "it wasn't done"), place_, 3);
  EXPECT_EQ(explained.culprit(), 3);
  EXPECT_THAT(explained.message(), HasSubstr("rank 3 has freed memory"));
}

/// Peers free what has been told of, when that can't be seen by anybody any more.
TEST_F(OpeningTest, WhatIsClosedLater_IsNotToldAsClosed) {
  driver_.is_closing = true;
  place_.close({.number = 7, .process = 4711, .what = device::SharedKind::kMemory}, 3);
  EXPECT_EQ(place_.closed(3), 0U);
  driver_.is_closing = false;
  EXPECT_EQ(place_.closed(3), 1U);
  driver_.is_closing = true;
  EXPECT_EQ(place_.closed(3), 1U) << "it stays so";
  place_.close({.number = 8, .process = 4711, .what = device::SharedKind::kMemory}, 3);
  EXPECT_EQ(place_.closed(3), 1U);
  EXPECT_EQ(place_.closed(2), 0U);
}

/// A call of two ranks, as of two processes.
class LateCall : public ::testing::Test {
 protected:
  std::vector<Status> call(std::int64_t timeout_ms) {
    auto ranks = connected<DeviceRank>(transport::TransportKind::kShm, 2);
    std::vector<Status> outcomes(ranks.size());
    for (DeviceRank& rank : ranks) rank.use(driver_);
    each<DeviceRank>(ranks, [](DeviceRank& rank, std::size_t) {
      const Status status = rank.plan("ring", kCount, 512);
      EXPECT_TRUE(status.ok()) << status.to_string();
    });
    each<DeviceRank>(ranks, [&](DeviceRank& rank, std::size_t i) {
      const auto memory = rank.allocate(kCount * sizeof(float)).value();
      outcomes[i] = rank.run(memory.get(), memory.get(), nullptr, timeout_ms);
      if (!outcomes[i].ok()) rank.abort(outcomes[i]);
    });
    return outcomes;
  }

  LateClosing driver_;
};

TEST_F(LateCall, GoesOnWhenThePeersMemoryCanBeOpened) {
  std::vector<Status> outcomes;
  for (int tries = 0; tries < 5; ++tries) {  // `closes` may stand still for longer than is waited
    driver_.opening_waits = true;
    std::jthread closes([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      driver_.opening_waits = false;
    });
    outcomes = call(20'000);
    if (std::ranges::all_of(outcomes, &Status::ok)) break;
  }
  for (const Status& outcome : outcomes) EXPECT_TRUE(outcome.ok()) << outcome.to_string();
}

/// Before that patience is at its end, if the peer has told all that it has to tell by then: where
/// it is late itself, that is what is said.
TEST_F(LateCall, WhoseDeadlineIsOver_SaysWhatItHasWaitedFor) {
  driver_.opening_waits = true;
  const auto tells_why = [](const Status& outcome) {
    return outcome.message().find("has freed memory") != std::string::npos;
  };
  std::vector<Status> outcomes;
  for (int tries = 0; tries < 5; ++tries) {
    outcomes = call(400);
    if (std::ranges::all_of(outcomes, tells_why)) break;
  }
  for (const Status& outcome : outcomes) {
    EXPECT_EQ(outcome.code(), ErrorCode::kTimeout);
    EXPECT_THAT(outcome.message(),
                AllOf(HasSubstr("after 400 ms"), HasSubstr("has freed memory"),
                      HasSubstr("kept from call to call"), Not(HasSubstr("nothing came"))));
  }
}

}  // namespace
}  // namespace rondo::execute
