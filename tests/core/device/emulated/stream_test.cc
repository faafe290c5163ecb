#include "core/device/emulated/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "core/device/emulated/emulated.h"
#include "core/device/emulated/event.h"
#include "tests/core/device/no_more_threads.h"
#include "tests/core/is_rung.h"

namespace rondo::device {
namespace {

using ::testing::HasSubstr;

/// Work that stays in the stream until the test opens the gate.
class Gate {
 public:
  std::function<Status()> kernel() {
    return [opened = opened_] { return opened.wait(), Status(); };
  }
  void open() { promise_.set_value(); }

 private:
  std::promise<void> promise_;
  std::shared_future<void> opened_ = promise_.get_future().share();
};

class EmulatedStreamTest : public ::testing::Test {
 protected:
  std::shared_ptr<detail::StreamImpl> stream(int index) {
    return driver_->create_stream(index).value();
  }

  std::unique_ptr<DeviceDriver> driver_ = make_emulated_driver(
      {.devices = 2, .memory_bytes = std::size_t{1} << 20, .lateness = {.longest_us = 100}});
};

std::function<Status()> succeed(int& runs) {
  return [&runs] { return ++runs, Status(); };
}

TEST_F(EmulatedStreamTest, copies_goFromHostToDeviceToDeviceToHost) {
  constexpr std::size_t kCount = 1'009;
  constexpr std::size_t kBytes = kCount * sizeof(double);
  void* first = driver_->allocate(0, kBytes).value();
  void* second = driver_->allocate(1, kBytes).value();
  std::vector<double> source(kCount);
  std::iota(source.begin(), source.end(), 0.125);
  std::vector<double> target(kCount);
  const auto work = stream(0);
  ASSERT_TRUE(work->copy(first, source.data(), kBytes).ok());
  ASSERT_TRUE(work->copy(second, first, kBytes).ok());
  ASSERT_TRUE(work->copy(target.data(), second, kBytes).ok());
  ASSERT_TRUE(work->synchronize().ok());
  EXPECT_EQ(target, source);
}

TEST_F(EmulatedStreamTest, launchedKernel_worksOnTheAlias) {
  auto* number = static_cast<int*>(driver_->allocate(0, sizeof(int)).value());
  int host = 20;
  const auto work = stream(0);
  ASSERT_TRUE(work->copy(number, &host, sizeof(int)).ok());
  ASSERT_TRUE(work->launch([number] {
                    *static_cast<int*>(emulated_alias(number)) += 22;
                    return Status();
                  })
                  .ok());
  ASSERT_TRUE(work->copy(&host, number, sizeof(int)).ok());
  ASSERT_TRUE(work->synchronize().ok());
  EXPECT_EQ(host, 42);
}

TEST_F(EmulatedStreamTest, withoutWaiting_theHostSeesOldBytes) {
  const auto work = stream(0);
  int old_bytes_seen = 0;
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> value = 0;
    ASSERT_TRUE(work->launch([&] { return value = 1, Status(); }).ok());
    if (value == 0) ++old_bytes_seen;
    ASSERT_TRUE(work->synchronize().ok());
    ASSERT_EQ(value, 1);
  }
  EXPECT_GT(old_bytes_seen, 0);
}

TEST_F(EmulatedStreamTest, event_isDoneOnlyAfterTheWorkBeforeIt) {
  Gate gate;
  EmulatedEvent event{Device::emulated(0)};
  EXPECT_TRUE(event.done()) << "never recorded";
  const auto work = stream(0);
  ASSERT_TRUE(work->launch(gate.kernel()).ok());
  ASSERT_TRUE(work->record(event).ok());
  EXPECT_FALSE(event.done());
  gate.open();
  EXPECT_TRUE(event.wait().ok());
  EXPECT_TRUE(event.done());
}

TEST_F(EmulatedStreamTest, event_ringsOnceItIsReached) {
  Gate gate;
  EmulatedEvent event{Device::emulated(0)};
  const auto bell = Bell::make().value();
  const auto work = stream(0);
  ASSERT_TRUE(work->launch(gate.kernel()).ok());
  ASSERT_TRUE(work->record(event).ok());
  ASSERT_TRUE(event.ring_when_reached(bell).ok());
  EXPECT_FALSE(is_rung(*bell, 20));
  gate.open();
  EXPECT_TRUE(is_rung(*bell, 10'000));
  bell->silence();
  EXPECT_FALSE(is_rung(*bell));
  ASSERT_TRUE(event.ring_when_reached(bell).ok());
  EXPECT_TRUE(is_rung(*bell)) << "reached already";
}

TEST_F(EmulatedStreamTest, wait_ordersWorkAcrossStreams) {
  Gate gate;
  EmulatedEvent event{Device::emulated(0)};
  std::vector<int> order;
  const auto first = stream(0);
  const auto second = stream(1);
  ASSERT_TRUE(first->launch(gate.kernel()).ok());
  ASSERT_TRUE(first->launch([&] { return order.push_back(1), Status(); }).ok());
  ASSERT_TRUE(first->record(event).ok());
  ASSERT_TRUE(second->wait(event).ok());
  ASSERT_TRUE(second->launch([&] { return order.push_back(2), Status(); }).ok());
  gate.open();
  ASSERT_TRUE(second->synchronize().ok());
  EXPECT_THAT(order, ::testing::ElementsAre(1, 2));
}

TEST_F(EmulatedStreamTest, eventRecordedAgain_isNotDoneBeforeTheNewRecord) {
  Gate gate;
  EmulatedEvent event{Device::emulated(0)};
  const auto work = stream(0);
  ASSERT_TRUE(work->record(event).ok());
  ASSERT_TRUE(work->synchronize().ok());
  EXPECT_TRUE(event.done());
  ASSERT_TRUE(work->launch(gate.kernel()).ok());
  ASSERT_TRUE(work->record(event).ok());
  EXPECT_FALSE(event.done());
  gate.open();
  EXPECT_TRUE(event.wait().ok());
}

TEST_F(EmulatedStreamTest, eventRecordedAgain_keepsEarlierWaitersOnTheFirstRecord) {
  Gate gate;
  EmulatedEvent event{Device::emulated(0)};
  const auto first = stream(0);
  const auto second = stream(1);
  const auto waiting = stream(1);
  ASSERT_TRUE(first->launch(gate.kernel()).ok());
  ASSERT_TRUE(first->record(event).ok());
  int runs = 0;
  EmulatedEvent reached{Device::emulated(1)};
  ASSERT_TRUE(waiting->wait(event).ok());
  ASSERT_TRUE(waiting->launch(succeed(runs)).ok());
  ASSERT_TRUE(waiting->record(reached).ok());
  ASSERT_TRUE(second->record(event).ok());
  ASSERT_TRUE(second->synchronize().ok());
  EXPECT_TRUE(event.done()) << "the second record is reached";
  EXPECT_FALSE(reached.done()) << "the first one is not";
  gate.open();
  ASSERT_TRUE(waiting->synchronize().ok());
  EXPECT_EQ(runs, 1);
}

TEST_F(EmulatedStreamTest, failedWork_skipsTheRestAndStays) {
  int runs = 0;
  EmulatedEvent event{Device::emulated(0)};
  const auto work = stream(1);
  ASSERT_TRUE(work->launch(succeed(runs)).ok());
  ASSERT_TRUE(
      work->launch([] { return Status(ErrorCode::kInvalidArgument, "a bad shape", 3); }).ok());
  ASSERT_TRUE(work->launch(succeed(runs)).ok());
  ASSERT_TRUE(work->record(event).ok());
  const Status status = work->synchronize();
  EXPECT_EQ(status.code(), ErrorCode::kDevice);
  EXPECT_EQ(status.culprit(), 3);
  EXPECT_THAT(status.message(), HasSubstr("emulated:1"));
  EXPECT_THAT(status.message(), HasSubstr("a bad shape"));
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(event.wait().message(), status.message());
  EXPECT_FALSE(work->synchronize().ok());
}

TEST_F(EmulatedStreamTest, waitForAFailedStream_failsToo) {
  EmulatedEvent event{Device::emulated(0)};
  int runs = 0;
  const auto first = stream(0);
  const auto second = stream(1);
  ASSERT_TRUE(first->launch([] { return Status(ErrorCode::kInternal, "broken"); }).ok());
  ASSERT_TRUE(first->record(event).ok());
  ASSERT_TRUE(second->wait(event).ok());
  ASSERT_TRUE(second->launch(succeed(runs)).ok());
  EXPECT_THAT(second->synchronize().message(), HasSubstr("emulated:0 failed"));
  EXPECT_EQ(runs, 0);
}

TEST_F(EmulatedStreamTest, throwingKernel_isAnError) {
  const auto work = stream(0);
  ASSERT_TRUE(work->launch([]() -> Status { throw std::runtime_error("out of luck"); }).ok());
  EXPECT_THAT(work->synchronize().message(), HasSubstr("out of luck"));
}

TEST_F(EmulatedStreamTest, fault_failsTheWorkThatItNamesAndTheStreamWithIt) {
  const auto driver = make_emulated_driver({.devices = 2,
                                            .memory_bytes = std::size_t{1} << 20,
                                            .faults = parse_faults("kernel:2,allocate:3").value()});
  const auto work = driver->create_stream(1).value();
  int runs = 0;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(work->launch(succeed(runs)).ok());
  const Status status = work->synchronize();
  EXPECT_EQ(status.code(), ErrorCode::kDevice);
  EXPECT_THAT(status.message(), HasSubstr("emulated:1: kernel number 2"));
  EXPECT_EQ(runs, 1);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(driver->allocate(0, 8).ok(), i != 2) << i;
}

TEST_F(EmulatedStreamTest, pace_makesWorkTakeAtLeastSoLong) {
  using std::chrono::steady_clock;
  const auto driver = make_emulated_driver({.devices = 1,
                                            .memory_bytes = std::size_t{1} << 20,
                                            .lateness = {.longest_us = 0},
                                            .pace = {.copy_bytes_per_us = 10, .kernel_us = 5'000}});
  const auto work = driver->create_stream(0).value();
  std::vector<char> host(100'000);
  void* memory = driver->allocate(0, host.size()).value();
  auto start = steady_clock::now();
  ASSERT_TRUE(work->copy(memory, host.data(), host.size()).ok());
  ASSERT_TRUE(work->synchronize().ok());
  EXPECT_GE(steady_clock::now() - start, std::chrono::microseconds(10'000));
  start = steady_clock::now();
  ASSERT_TRUE(work->launch([] { return Status(); }).ok());
  ASSERT_TRUE(work->synchronize().ok());
  EXPECT_GE(steady_clock::now() - start, std::chrono::microseconds(5'000));
}

TEST_F(EmulatedStreamTest, copyPastTheEndOrOfFreedMemory_isAnErrorNotAFault) {
  std::vector<char> host(128);
  void* memory = driver_->allocate(0, 100).value();
  const auto past_end = stream(0);
  ASSERT_TRUE(past_end->copy(memory, host.data(), 101).ok());
  EXPECT_THAT(past_end->synchronize().message(), HasSubstr("past the end"));

  driver_->free(memory);
  const auto after_free = stream(0);
  ASSERT_TRUE(after_free->copy(memory, host.data(), 100).ok());
  EXPECT_THAT(after_free->synchronize().message(), HasSubstr("freed"));
}

TEST_F(EmulatedStreamTest, synchronizeFromItsOwnWork_isRefused) {
  Status inner;
  const auto work = stream(0);
  ASSERT_TRUE(work->launch([&] { return inner = work->synchronize(), Status(); }).ok());
  ASSERT_TRUE(work->synchronize().ok());
  EXPECT_EQ(inner.code(), ErrorCode::kInvalidArgument);
}

TEST_F(EmulatedStreamTest, whereNoThreadCanBeMade_isRefused) {
  const testing::NoMoreThreads none;
  const Status status = driver_->create_stream(0).status();
  EXPECT_EQ(status.code(), ErrorCode::kSystem);
  EXPECT_THAT(status.message(), HasSubstr("a stream of emulated:0 needs a thread"));
}

TEST_F(EmulatedStreamTest, destruction_finishesTheWork) {
  int runs = 0;
  {
    const auto work = stream(0);
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(work->launch(succeed(runs)).ok());
  }
  EXPECT_EQ(runs, 20);
}

TEST_F(EmulatedStreamTest, lastHandleHeldByItsOwnWork_endsWithIt) {
  EmulatedEvent event{Device::emulated(0)};
  {
    const auto work = stream(0);
    ASSERT_TRUE(work->launch([work] { return Status(); }).ok());
    ASSERT_TRUE(work->record(event).ok());
  }
  EXPECT_TRUE(event.wait().ok());
}

}  // namespace
}  // namespace rondo::device
